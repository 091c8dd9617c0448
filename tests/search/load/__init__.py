"""Many players at once: what a server answers, what everybody sees and when, and what it takes."""
