"""What a sentence says otherwise than its quote, though the words are the same."""
