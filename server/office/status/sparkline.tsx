import { scaleLinear } from '@visx/scale';
import { LinePath } from '@visx/shape';
import { DataTable } from '#server/office/parts.tsx';
import { formatMoment } from './moments.ts';
import { formatValue, hoursOf, type Line, type Picture, pointsOf, rangeOf } from './pictures.ts';

const WIDTH = 576;
const HEIGHT = 96;
/** Margin for the full width of a line at the edge. */
const EDGE = 4;

/** A day's numbers as a small picture, in words and, in a fold-out table, hour by hour. */
export function Sparkline({ picture, until }: { picture: Picture; until: Date }) {
  const { name, means, lines } = picture;
  const hours = hoursOf(picture, until);
  return (
    <figure className="sparkline">
      <figcaption>
        <h3>{name}</h3>
        <p className="sparkline-means">{means}</p>
      </figcaption>
      <Drawing {...picture} />
      <ul className="sparkline-words">
        {lines.map((line) => (
          <li key={line.name}>{inWords(line)}</li>
        ))}
      </ul>
      {hours.length > 0 && (
        <details>
          <summary>
            Hour by hour<span className="visually-hidden">: {name}</span>
          </summary>
          <DataTable
            className=""
            caption={<span className="visually-hidden">{name}, hour by hour: least and most</span>}
            head={['Hour from', ...lines.map((line) => line.name)]}
            rows={hours.map(({ startsAt, ranges }) => [
              formatMoment(startsAt),
              ...lines.map((line, index) => formatRange(line, ranges[index])),
            ])}
          />
        </details>
      )}
    </figure>
  );
}

function Drawing({ name, lines }: Picture) {
  const drawn = lines.map((line) => ({ name: line.name, points: pointsOf(line) }));
  const isLine = drawn.some(({ points }) => points.filter((value) => value !== undefined).length > 1);
  if (!isLine) return <p className="sparkline-none">Too little is known yet to be drawn.</p>;
  const most = Math.max(1, ...drawn.map(({ points }) => rangeOf(points)?.most ?? 0));
  const last = Math.max(1, (drawn[0]?.points.length ?? 0) - 1);
  const x = scaleLinear({ domain: [0, last], range: [EDGE, WIDTH - EDGE], round: true });
  const y = scaleLinear({ domain: [0, most], range: [HEIGHT - EDGE, EDGE], round: true });
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${name}: ${lines.map(inWords).join('; ')}`}
    >
      {drawn.map((line) => (
        <LinePath
          key={line.name}
          data={[...line.points]}
          defined={(value) => value !== undefined}
          x={(_value, index) => x(index)}
          y={(value) => y(value ?? 0)}
          fill="none"
        />
      ))}
    </svg>
  );
}

function inWords(line: Line): string {
  const range = rangeOf(line.values);
  if (!range) return `${line.name}: not known yet`;
  const [last, least, most] = [range.last, range.least, range.most].map((value) => formatValue(value, line));
  const all = line.isCount ? `, in all ${formatValue(range.sum, line)}` : '';
  return `${line.name}: now ${last}, least ${least}, most ${most}${all}`;
}

function formatRange(line: Line, range: ReturnType<typeof rangeOf>): string {
  if (!range) return '–';
  const [least, most] = [range.least, range.most].map((value) => formatValue(value, line));
  return least === most ? `${most}` : `${least} to ${most}`;
}
