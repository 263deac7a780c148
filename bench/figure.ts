// Defines what benchmarks measure: figures with goals.

export interface Figure {
  readonly what: string;
  readonly value: number;
  /** `×` for a ratio. Ratios and sizes hardly depend on the machine; times do. */
  readonly unit: '×' | 'MB' | 'ms' | '%';
  /** The value should not be higher. */
  readonly goal: number;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export const printFigures = (figures: readonly Figure[]): void => {
  console.log('\n| figure | measured | goal |\n|---|---|---|');
  for (const { what, value, unit, goal } of figures)
    console.log(`| ${what} | ${rounded(value)} ${unit} | ${goal} ${unit} |`);
};

const rounded = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));
