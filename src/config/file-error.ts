// Why a file could not be read, in words; the system's own message repeats the path.

const REASONS: Record<string, string> = {
  EACCES: 'no permission',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file',
};

export const whyUnreadable = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return REASONS[code] ?? code;
};
