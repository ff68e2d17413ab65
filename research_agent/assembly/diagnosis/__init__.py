"""What `research-agent doctor` finds: a module for the models, the index, the network, the rest."""
