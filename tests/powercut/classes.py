"""Kinds of syncs that can be ignored in a replay, as if the service did not make them. Each must be missed."""

from disk import File


def is_log(node):
    return isinstance(node, File) and node.name.endswith(".log")


def is_segment(node):
    return isinstance(node, File) and ".parquet" in node.name


def is_catalogue(node):
    return isinstance(node, File) and "catalog.sqlite" in node.name


def is_key(node):
    return isinstance(node, File) and node.name.split("/")[-1].split(".")[0] in ("secret", "first-token", "node")


def is_folder(node):
    return not isinstance(node, File)


def is_log_folder(node):
    return is_folder(node) and node.name == "data/log"


def is_segment_folder(node):
    return is_folder(node) and node.name.startswith("data/segments")


def is_data_folder(node):
    return is_folder(node) and node.name == "data"


def is_folder_above(node):
    return is_folder(node) and node.name == ""


CLASSES = {
    "log": is_log,
    "segment": is_segment,
    "catalogue": is_catalogue,
    "key": is_key,
    "folder": is_folder,
    "log-folder": is_log_folder,
    "segment-folder": is_segment_folder,
    "data-folder": is_data_folder,
    "folder-above": is_folder_above,
}
