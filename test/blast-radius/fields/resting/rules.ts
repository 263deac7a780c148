// Defines how the tests say which series rest on which fields.

/** What may happen to the series that rest on some fields. */
export interface Resting {
  /** Paths of fields, separated by spaces. Those in a list or a map are written without the path of their item. */
  readonly fields: string;
  /** Families without `proxywatch_`, separated by spaces; `*` stands for the rest of a name. */
  readonly families: string;
  /**
   * `missing`: the series stop or vanish. `changed`: they may also have another value or another label, because the new
   * value is one that the provider may send.
   */
  readonly may: 'missing' | 'changed';
  /** Why series change that do not show the field itself. */
  readonly reason?: string;
}

export interface RestingOn {
  /** The path of an item, which the fields of the rules below it are in. */
  readonly item: string;
  readonly rules: readonly Resting[];
}

/** The fields of an endpoint's answers, by the items that they are in. */
export type EndpointRules = Readonly<Record<string, readonly RestingOn[]>>;

export const rest = (fields: string, families: string, reason?: string): Resting => ({
  ...{ fields, families, may: 'missing' },
  ...(reason === undefined ? {} : { reason }),
});

export const change = (fields: string, families: string, reason?: string): Resting => ({
  ...rest(fields, families, reason),
  may: 'changed',
});
