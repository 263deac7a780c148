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
  readonly endsAt: number;
}

/** A silence that a user wants. */
export interface SilenceRequest extends Pick<Silence, 'account' | 'alert' | 'subject' | 'comment'> {
  /** Null begins at once. */
  readonly startsAt: number | null;
  /** When it ends, or how long after its start. */
  readonly end: { readonly at: number } | { readonly after: number };
}

export interface SilenceStore {
  all(): Promise<Silence[]>;
  add(silence: Silence): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}
