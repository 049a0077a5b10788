import { AxisBottom, AxisLeft } from '@visx/axis';
import { Group } from '@visx/group';
import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar, Line } from '@visx/shape';
import { DataTable, Section } from '#server/office/parts.tsx';
import type { DayFigures } from '#server/register/listed.ts';
import { formatDate, formatMonthAndDay } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { type Days, sumOfDays } from './figures.ts';

/** The units are those of the picture, which are pixels if it is shown at its full width. */
interface Size {
  name: 'phone' | 'desk';
  width: number;
  /** How many dates the axis shows at most. */
  mostDates: number;
}

/** The style sheet shows one of them: the one whose letters are at least 11 pixels high. */
const SIZES: readonly Size[] = [
  { name: 'phone', width: 350, mostDates: 4 },
  { name: 'desk', width: 960, mostDates: 10 },
];

const LEFT = 52;
const RIGHT = 22;
/** The height of a part of the picture, and above it that of its title. */
const PART = 80;
const TITLE = 40;
const BOTTOM = 28;

interface Part {
  title: string;
  className: string;
  amountOf(day: DayFigures): number;
  tell(value: number): string;
}

/** Each part has its own scale: refunds are small beside the day on which all balances are charged. */
const PARTS: readonly Part[] = [
  {
    title: 'Deposits paid',
    className: 'office-bar--people',
    amountOf: ({ registered }) => registered,
    tell: String,
  },
  {
    title: 'Money that came in',
    className: 'office-bar--in',
    amountOf: ({ inCents }) => inCents / 100,
    tell: shortDollars,
  },
  {
    title: 'Money that went back',
    className: 'office-bar--back',
    amountOf: ({ backCents }) => backCents / 100,
    tell: shortDollars,
  },
];

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
  size: Size;
  words: string;
}

function Picture({ days, size, words }: PictureProps) {
  const { name, width, mostDates } = size;
  const dates = days.map(({ date }) => date);
  const x = scaleBand({ domain: dates, range: [LEFT, width - RIGHT], padding: 0.15 });
  const every = Math.ceil(dates.length / mostDates);
  const named = dates.filter((_, index) => (dates.length - 1 - index) % every === 0);
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
        <Group key={part.title} top={index * (TITLE + PART) + TITLE}>
          <Bars {...{ part, days, x, width }} />
        </Group>
      ))}
      <AxisBottom
        {...{ ...axis, axisClassName: 'office-axis-bottom', top: height, scale: x }}
        tickValues={named}
        tickFormat={formatShortDay}
      />
    </svg>
  );
}

interface BarsProps extends Pick<PictureProps, 'days'> {
  part: Part;
  x: ReturnType<typeof scaleBand<string>>;
  width: number;
}

function Bars({ part: { title, className, amountOf, tell }, days, x, width }: BarsProps) {
  const most = Math.max(1, ...days.map(amountOf));
  const y = scaleLinear({ domain: [0, most], range: [PART, 0], nice: 3 });
  const some = days.filter((day) => amountOf(day) > 0);
  return (
    <>
      <text className="office-picture-title" x={0} y={-18}>
        {title}
      </text>
      <AxisLeft
        {...{ ...axis, axisClassName: 'office-axis-left', left: LEFT, scale: y }}
        tickValues={y.ticks(3).filter(Number.isInteger)}
        tickFormat={(value) => tell(Number(value))}
      />
      {some.map((day) => (
        <Bar
          key={day.date}
          className={className}
          x={round(x(day.date) ?? 0)}
          y={round(y(amountOf(day)))}
          width={round(x.bandwidth())}
          height={round(PART - y(amountOf(day)))}
        />
      ))}
      <Line className="office-picture-zero" from={{ x: LEFT, y: PART }} to={{ x: width - RIGHT, y: PART }} />
    </>
  );
}

const axis = {
  hideAxisLine: true,
  hideTicks: true,
  // The library's own component measures text in a browser, and uses inline styles, which the
  // Content-Security-Policy refuses.
  tickComponent: ({ x, y, formattedValue }: { x: number; y: number; formattedValue: string | undefined }) => (
    <text x={round(x)} y={round(y)}>
      {formattedValue}
    </text>
  ),
};

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
  ...[name, registered, formatCents(inCents), formatCents(backCents)],
];
