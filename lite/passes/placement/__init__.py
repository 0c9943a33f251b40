"""Passes that decide where ops run and in which form values are stored, up to the plan."""
