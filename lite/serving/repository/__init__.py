"""The models of a server: their folders, settings, versions and states."""
