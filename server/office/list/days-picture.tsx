import { DataTable, Section } from '#server/office/parts.tsx';
import type { DayFigures } from '#server/worker/registration-index.ts';
import { formatDate, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { type Days, sumOfDays } from './figures.tsx';

/**
 * The units are those of the picture, which are pixels if it is shown at its full width; `mostDates` are how many dates
 * the axis shows at most. The style sheet shows one of them: the one whose letters are at least 11 pixels high.
 */
const SIZES = [
  { name: 'phone', width: 350, mostDates: 4 },
  { name: 'desk', width: 960, mostDates: 10 },
] as const;

const LEFT = 52;
const RIGHT = 22;
/** The height of a part of the picture, and above it that of its title. */
const PART = 80;
const TITLE = 40;
const BOTTOM = 28;
/** Between two bars, as a share of the way from one to the next. */
const GAP = 0.15;

/** Each part has its own scale: refunds are small beside the day on which all balances are charged. */
const PARTS = [
  { title: 'Deposits paid', name: 'people', of: 'registered', unit: 1, tell: String },
  { title: 'Money that came in', name: 'in', of: 'inCents', unit: 100, tell: shortDollars },
  { title: 'Money that went back', name: 'back', of: 'backCents', unit: 100, tell: shortDollars },
] as const;

/** Registrations and money by day, as a picture and as a table. */
export function DaysPicture({ days }: { days: Days }) {
  const [first, last] = [days.days.at(0), days.days.at(-1)];
  if (!first || !last) return null;
  const sum = sumOfDays(days.days);
  const words = `From ${formatDate(first.date)} to ${formatDate(last.date)}: ${sum.registered} deposits were paid, ${formatCents(sum.inCents)} came in, and ${formatCents(sum.backCents)} went back. The table below has each day.`;
  return (
    <Section id="by-day" title="Day by day">
      {SIZES.map((size) => (
        <Picture key={size.name} days={days.days} size={size} words={words} />
      ))}
      <details className="office-days">
        <summary>The same as a table</summary>
        <DaysTable {...days} />
      </details>
    </Section>
  );
}

interface PictureProps {
  days: readonly DayFigures[];
  size: (typeof SIZES)[number];
  words: string;
}

function Picture({ days, size, words }: PictureProps) {
  const { name, width, mostDates } = size;
  const every = Math.ceil(days.length / mostDates);
  const step = (width - LEFT - RIGHT) / (days.length + GAP);
  const bars = days.map((day, index) => ({
    day,
    left: LEFT + (index + GAP) * step,
    width: (1 - GAP) * step,
  }));
  const named = bars.filter((_, index) => (days.length - 1 - index) % every === 0);
  const height = PARTS.length * (TITLE + PART);
  const ids = { title: `days-${name}-title`, words: `days-${name}-words` };
  return (
    <svg
      className={`office-picture office-picture--${name}`}
      viewBox={`0 0 ${width} ${height + BOTTOM}`}
      role="img"
      aria-labelledby={`${ids.title} ${ids.words}`}
    >
      <title id={ids.title}>Registrations and money by day</title>
      <desc id={ids.words}>{words}</desc>
      {PARTS.map((part, index) => (
        <g key={part.title} transform={`translate(0, ${index * (TITLE + PART) + TITLE})`}>
          <Bars part={part} bars={bars} />
          <line
            className="office-picture-zero"
            x1={LEFT}
            y1={PART}
            x2={width - RIGHT}
            y2={PART}
            shapeRendering="crispEdges"
          />
        </g>
      ))}
      <g className="office-axis-bottom">
        {named.map((bar) => (
          <text key={bar.day.date} x={round(bar.left + bar.width / 2)} y={height + 18}>
            {formatShortDay(bar.day.date)}
          </text>
        ))}
      </g>
    </svg>
  );
}

interface BarsProps {
  part: (typeof PARTS)[number];
  bars: readonly { day: DayFigures; left: number; width: number }[];
}

function Bars({ part, bars }: BarsProps) {
  const { title, name, of, unit, tell } = part;
  const amountOf = (day: DayFigures): number => day[of] / unit;
  const most = Math.max(1, ...bars.map(({ day }) => amountOf(day)));
  const step = stepTo(most);
  const steps = Math.ceil(most / step);
  const heightOf = (amount: number): number => (amount / (steps * step)) * PART;
  return (
    <>
      <text className="office-picture-title" x={0} y={-18}>
        {title}
      </text>
      <g className="office-axis-left">
        {Array.from({ length: steps + 1 }, (_, index) => index * step).map((amount) => (
          <text key={amount} x={LEFT - 8} y={round(PART - heightOf(amount))}>
            {tell(amount)}
          </text>
        ))}
      </g>
      {bars
        .map((bar) => ({ ...bar, height: heightOf(amountOf(bar.day)) }))
        .filter(({ height }) => height > 0)
        .map(({ day, left, width, height }) => (
          <rect
            key={day.date}
            className={`office-bar--${name}`}
            x={round(left)}
            y={round(PART - height)}
            width={round(width)}
            height={round(height)}
          />
        ))}
    </>
  );
}

/** The smallest of 1, 2, 5, 10, 20, and so on, that reaches the amount in at most four steps. */
function stepTo(amount: number): number {
  return [1, 2, 5].find((step) => amount <= 4 * step) ?? 10 * stepTo(amount / 10);
}

function formatShortDay(date: string): string {
  return formatMonthAndDay(date).replace(/^(\p{L}{3})\p{L}*/u, '$1');
}

function shortDollars(dollars: number): string {
  return dollars >= 1000 ? `$${Number((dollars / 1000).toFixed(1))}k` : `$${dollars}`;
}

function round(units: number): number {
  return Math.round(units * 10) / 10;
}

function DaysTable({ days, before }: Days) {
  const [first] = days;
  const hasEarlier = before.registered + before.inCents + before.backCents > 0;
  return (
    <DataTable
      className="office-table office-table--figures"
      caption="Registrations and money by day, the last day first"
      head={['Day', 'Deposits paid', 'Came in', 'Went back']}
      rows={[
        ...days.toReversed().map((day) => figuresRow(formatDate(day.date), day)),
        ...(first && hasEarlier ? [figuresRow(`Before ${formatDate(first.date)}`, before)] : []),
        figuresRow('In all', sumOfDays([...days, before])),
      ]}
    />
  );
}

const figuresRow = (name: string, { registered, inCents, backCents }: Days['before']) => [
  name,
  registered,
  formatCents(inCents),
  formatCents(backCents),
];
