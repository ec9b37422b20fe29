"""Loads the plugin, which an installed package brings by itself."""

import importlib.metadata

if not any(point.value == "countersign.pytest_plugin" for point in importlib.metadata.entry_points(group="pytest11")):
    pytest_plugins = ["countersign.pytest_plugin"]
