// Marks in plots the events that can explain a jump, and lists them. All plots of a page share one answer.

import type { Events } from '../answers.ts';
import { html } from '../html.ts';
import { isOn } from '../monitored.ts';
import type { Plot } from '../plot.ts';
import { chosenRange, rangeQuery } from '../range.ts';
import { elementById } from '../show.ts';
import { eventList, marksOf, unknownEvents } from '../views/events.ts';
import { type Refresh, section } from './section.ts';

export const eventFrame = html`<div id="events"></div>`;

/** `subject` is a label and its value. Returns a function that refreshes the marks. */
export const setUpEvents = (account: string, subject: () => string, plots: readonly Plot[]): Refresh =>
  section<Events>({
    element: elementById('events'),
    path: () =>
      `api/v1/accounts/${encodeURIComponent(account)}/events?subject=${encodeURIComponent(subject())}&${rangeQuery(chosenRange())}`,
    draw: (events) => {
      const marks = marksOf(events?.data ?? []);
      for (const plot of plots) plot.mark(marks);
      return events ? eventList(marks, unknownEvents(events, Date.now(), isOn(['adjustments']))) : html``;
    },
    onError: () => {
      for (const plot of plots) plot.mark([]);
    },
  });
