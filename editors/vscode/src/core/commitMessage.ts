// Which folder of a repository the server may look at: it reads nothing outside of the workspace's folders.

/** Return the root of a repository, or of a repository around the workspace the folder that is in it. All are URIs. */
export function folderOf(root: string, folders: readonly string[]): string {
  const isWithin = (uri: string, folder: string) => uri === folder || uri.startsWith(`${folder.replace(/\/$/, "")}/`);
  if (folders.some((folder) => isWithin(root, folder))) return root;
  return folders.find((folder) => isWithin(folder, root)) ?? root;
}
