"""The parts of scripts/guests."""
