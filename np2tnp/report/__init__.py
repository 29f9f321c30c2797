"""What the commands say, in every format."""
