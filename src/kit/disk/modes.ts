// Permissions of the programs' private files and directories: only their own user may open them.
// Applied when a file is created; the umask can only remove bits.

export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_DIRECTORY_MODE = 0o700;

/** The permission bits of a mode, without those that change the user of a program. */
export const PERMISSIONS = 0o777;
export const OWNER_MAY_READ = 0o400;

/** The permission bits of everyone but the owner; a private file has none of them. */
export const OTHERS_MODE_BITS = 0o077;

/** Of files that belong to a person's project; the umask decides who else may read them. */
export const PUBLIC_FILE_MODE = 0o666;
