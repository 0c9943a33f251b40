"""Worker environments: interpreters with the packages of one device's SDK, under the user's data folder.

- `folder`: where they are.
- `installed`: whether a device's environment is complete and of its present requirements.
- `interpreters`: finds an interpreter of a version on this machine.
- `install`: makes and removes environments.
"""
