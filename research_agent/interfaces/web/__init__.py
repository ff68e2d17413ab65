"""`research-agent web`: a page in the browser, on this machine alone."""
