"""What manifests must look like: tables of shapes, and the rules among their fields."""
