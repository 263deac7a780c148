// Defines what a page of a view consists of.

import type { View } from '../address.ts';
import type { Status } from '../answers.ts';
import type { Markup } from '../html.ts';
import type { Refresh } from '../sections/section.ts';

export interface PageContext {
  readonly view: View;
  /** Is to be called when the reader chooses something else to show. */
  readonly onChange: () => void;
}

export interface RunningPage {
  readonly refreshers: readonly Refresh[];
  readonly onStatus?: (status: Status) => void;
  /** Is called when the daemon answers with an error instead of its status. */
  readonly onStatusError?: () => void;
}

export interface Page {
  /** The empty sections, which are put into the document before `setUp` is called. */
  readonly content: (view: View) => Markup;
  readonly setUp: (context: PageContext) => RunningPage;
}
