"""An index that several machines share: Lance tables in a folder or a bucket."""
