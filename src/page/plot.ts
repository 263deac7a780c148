// Draws plots over time with the style sheet's colours, and shows the values at the cursor as text beside them.

import { local, utc } from './format.ts';
import uPlot from './uPlot.esm.js';
import { joinMarks, type Mark, wordsOf } from './views/events.ts';

export interface PlotSeries {
  /** The name of a colour in the style sheet. */
  readonly colour: string;
  readonly format: (value: number) => string;
  readonly label: string;
  readonly isFilled?: boolean;
  readonly isDashed?: boolean;
}

export interface PlotOptions {
  readonly figure: HTMLElement;
  readonly series: readonly PlotSeries[];
  readonly kind: 'lines' | 'bars';
  /** `instants` are shown in the reader's time zone. `days` are dates without a zone, given as their midnight in UTC. */
  readonly times: 'instants' | 'days';
  /** Plots of the same group move their cursors together. */
  readonly group?: string;
  /** The numbers of two series, counted from 1, whose gap is filled. */
  readonly band?: readonly [number, number];
  /** Is called with the ends of a range that the reader drags over (ms). */
  readonly onZoom?: (from: number, to: number) => void;
}

/** Times in seconds, then a list of values for each series; null is a gap. */
export type PlotData = readonly [number[], ...(number | null)[][]];

/** The height of a frame that is not shown yet. */
const HEIGHT = 170;
const MIN_DRAG_PX = 5;
/** Marks that are nearer to each other are drawn as one. */
const MARK_PX = 10;

export class Plot {
  readonly #options: PlotOptions;
  readonly #frame: HTMLElement;
  readonly #readout: HTMLElement | null;
  #plot: uPlot | undefined;
  #data: PlotData | undefined;
  #marks: readonly Mark[] = [];

  constructor(options: PlotOptions) {
    this.#options = options;
    this.#frame = options.figure.querySelector('.frame') as HTMLElement;
    this.#readout = options.figure.querySelector('.readout');
    new ResizeObserver(() => this.#plot?.setSize(this.#size)).observe(this.#frame);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw());
  }

  show(data: PlotData): void {
    this.#data = data;
    if (this.#plot && data.length === this.#plot.series.length) this.#plot.setData(data as uPlot.AlignedData);
    else this.#draw();
  }

  /** Replaces the events that the plot marks. */
  mark(marks: readonly Mark[]): void {
    this.#marks = marks;
    this.#plot?.redraw(false);
  }

  get #size() {
    return { width: this.#frame.clientWidth, height: this.#frame.clientHeight || HEIGHT };
  }

  #draw(): void {
    this.#plot?.destroy();
    if (this.#data) this.#plot = new uPlot(this.#uplotOptions, this.#data as uPlot.AlignedData, this.#frame);
  }

  get #uplotOptions(): uPlot.Options {
    const { series, kind, times, group, band, onZoom } = this.#options;
    const bars = kind === 'bars' ? uPlot.paths.bars?.({ size: [0.7, 24], align: 1 }) : undefined;
    return {
      ...this.#size,
      legend: { show: false },
      ...(times === 'days' ? { tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC') } : {}),
      cursor: {
        y: false,
        points: { size: 6 },
        drag: { setScale: false, x: onZoom !== undefined },
        ...(group ? { sync: { key: group, filters: { pub: isCursorMove } } } : {}),
      },
      scales: {
        x: { time: true, ...(kind === 'bars' ? { range: untilBarEnds } : {}) },
        y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1] },
      },
      axes: [this.#timeAxis, this.#valueAxis],
      hooks: {
        draw: [(plot) => this.#drawMarks(plot)],
        setCursor: [(plot) => this.#showReadout(plot)],
        setSelect: [(plot) => this.#zoom(plot)],
      },
      ...(band ? { bands: [{ series: [...band], fill: styleOf('--accent-fill') }] } : {}),
      series: [
        {},
        ...series.map(({ colour, isFilled, isDashed }) => ({
          stroke: styleOf(`--${colour}`),
          width: kind === 'bars' ? 0 : 1.5,
          points: { size: 5, show: kind === 'lines', filter: isolatedPoints },
          ...(kind === 'bars' ? { fill: styleOf(`--${colour}`) } : {}),
          ...(isDashed ? { dash: [6, 4] } : {}),
          ...(isFilled ? { fill: styleOf(`--${colour}-fill`) } : {}),
          ...(bars ? { paths: bars } : {}),
        })),
      ],
    };
  }

  get #timeAxis(): uPlot.Axis {
    return {
      ...axisColours(),
      space: 60,
      size: 28,
      values: (_plot, splits) => splits.map((at) => formatTick(this.#textOf(at))),
    };
  }

  get #valueAxis(): uPlot.Axis {
    const { series } = this.#options;
    return {
      ...axisColours(),
      size: 68,
      space: 30,
      values: (_plot, splits) => splits.map((value) => series[0]?.format(value) ?? ''),
    };
  }

  /** A drag of a few pixels is a click. */
  #zoom(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < MIN_DRAG_PX) return;
    const [from, to] = [left, left + width].map((x) => plot.posToVal(x, 'x') * 1000);
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (from !== undefined && to !== undefined) this.#options.onZoom?.(from, to);
  }

  /** Returns the marks within the plot, in CSS pixels from its left. */
  #joinedMarks(plot: uPlot): ReturnType<typeof joinMarks> {
    const width = plot.over.clientWidth;
    const placeOf = (at: number): number | null => {
      const place = plot.valToPos(at / 1000, 'x');
      // The plot may begin some minutes after the range.
      return place >= -MARK_PX && place <= width ? Math.max(place, 0) : null;
    };
    return joinMarks(this.#marks, placeOf, MARK_PX);
  }

  #drawMarks(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const px = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = styleOf('--mark');
    ctx.lineWidth = px;
    ctx.font = `${11 * px}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    for (const { place, marks } of this.#joinedMarks(plot)) {
      // Half a pixel more makes a line of one pixel sharp.
      const x = Math.round(bbox.left + place * px) + 0.5;
      const bottom = bbox.top + bbox.height;
      drawMark(ctx, { x, top: bbox.top, bottom, px });
      if (marks.length > 1) ctx.fillText(String(marks.length), x + 3 * px, bbox.top + 10 * px);
    }
    ctx.restore();
  }

  #showReadout(plot: uPlot): void {
    const { idx: index = null, left = -1 } = plot.cursor;
    const [times, ...values] = this.#data ?? [];
    const at = index === null ? undefined : times?.[index];
    if (!this.#readout) return;
    const { series, times: kind } = this.#options;
    const texts = series.map(({ label, format }, seriesIndex) => {
      const value = index === null ? null : values[seriesIndex]?.[index];
      return `${label} ${value === null || value === undefined ? 'unknown' : format(value)}`;
    });
    const time = at === undefined ? '' : this.#textOf(at).slice(0, kind === 'days' ? 10 : 16);
    const near = this.#joinedMarks(plot).filter(({ place }) => Math.abs(place - left) < MARK_PX / 2);
    const words = near.map(({ marks }) => `; ${wordsOf(marks)}`);
    this.#readout.textContent = at === undefined ? '' : `${time}: ${texts.join(', ')}${words.join('')}`;
    this.#readout.title = at === undefined || kind === 'days' ? '' : utc(at * 1000);
  }

  /** Formats the time of a point (s). */
  #textOf(at: number): string {
    return this.#options.times === 'days' ? utc(at * 1000) : local(at * 1000);
  }
}

/** Bars begin with their day, so the axis ends a day after the last one begins. Times are in seconds. */
const untilBarEnds = (_plot: uPlot, first: number, last: number): [number, number] => [first, last + 86_400];

/** Draws a thin line with a triangle at the axis. All values are in pixels of the canvas. */
const drawMark = (
  ctx: CanvasRenderingContext2D,
  { x, top, bottom, px }: Readonly<Record<'x' | 'top' | 'bottom' | 'px', number>>,
): void => {
  ctx.beginPath();
  ctx.setLineDash([2 * px, 3 * px]);
  ctx.moveTo(x, top);
  ctx.lineTo(x, bottom);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(x, bottom - 7 * px);
  ctx.lineTo(x - 4 * px, bottom);
  ctx.lineTo(x + 4 * px, bottom);
  ctx.fill();
};

/** Plots of a group share only their cursors. If they shared a drag too, each of them would choose the range once more. */
const isCursorMove = (event: string): boolean => event === 'mousemove' || event === 'mouseleave';

/** A point between two gaps has no line, so it is drawn as a dot. uPlot's types declare the result as a list or null. */
const isolatedPoints = (
  plot: uPlot,
  series: number,
  isShown: boolean,
  gaps?: null | number[][],
): number[] | null => {
  if (isShown && !gaps) return null;
  const values = plot.data[series] ?? [];
  const isKnown = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  return [...values.keys()].filter((index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1));
};

const FONT = '11px system-ui, sans-serif';

const axisColours = () => {
  const grid = { stroke: styleOf('--line'), width: 1 };
  return { stroke: styleOf('--quiet'), font: FONT, grid, ticks: { show: false } };
};

const styleOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Shortens a text such as `2026-03-01 13:00:00` to the time of day, or at midnight to the date. */
const formatTick = (time: string): string =>
  time.slice(11, 16) === '00:00' ? time.slice(5, 10) : time.slice(11, 16);
