// Defines the store of silences, so that a restart does not end them.

/** Keeps notifications about the matching alerts back. Times are in ms. */
export interface Silence {
  readonly id: string;
  /** Null matches every account, and the daemon itself. */
  readonly account: string | null;
  /** Null matches every alert. */
  readonly alert: string | null;
  /** The value of a label, or `label=value`. Null matches every subject. */
  readonly subject: string | null;
  readonly comment: string;
  readonly startsAt: number;
  /** The latest end. */
  readonly endsAt: number;
  /** Whether it matches only alerts that began before it, and ends when all of them are resolved. */
  readonly untilResolved: boolean;
}

/** A silence that a user wants. */
export interface SilenceRequest extends Omit<Silence, 'id' | 'startsAt' | 'endsAt'> {
  /** Null begins at once. */
  readonly startsAt: number | null;
  /** When it ends, or how long after its start. */
  readonly end: { readonly at: number } | { readonly after: number };
}

export interface SilenceStore {
  all(): Promise<Silence[]>;
  add(silence: Silence): Promise<void>;
  /** Lets silences end at `at` (ms). */
  end(ids: readonly string[], at: number): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}
