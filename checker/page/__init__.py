"""One page, offline, in which a person walks around in a model's states."""
