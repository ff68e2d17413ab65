"""The stages that give the hits of a search a new order, where the settings want one."""
