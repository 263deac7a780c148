// Describes why a file could not be read. The system's own message would repeat the path.

const REASONS: Record<string, string> = {
  EACCES: 'no permission',
  EISDIR: 'it is a folder',
  ENOENT: 'no such file',
};

export const describeReadError = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return REASONS[code] ?? code;
};
