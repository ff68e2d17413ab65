"""`research-agent chat`: a conversation that lasts."""
