import type { ReactNode } from 'react';
import type { Edition } from '#shared/content/edition.ts';
import { cancelPageWords, describeRefund } from '#shared/content/own-page-cancel.ts';
import type { OwnPageRefund } from '#shared/content/own-page-view.ts';
import { timeZoneWords, zoneChoices } from '#shared/content/time-zones.ts';
import { formatCents } from '#shared/money.ts';

interface SectionProps {
  id: string;
  title: string;
  className?: string;
  children: ReactNode;
}

/** A section with its heading, by whose id it is labelled. */
export function Section({ id, title, className, children }: SectionProps) {
  return (
    <section className={className} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

interface LinkProps {
  href: string;
  children: string;
}

/** A link to one of her pages, in a line of its own. */
export function PlaceLink({ href, children }: LinkProps) {
  return (
    <p>
      <a className="place-link" href={href}>
        {children}
      </a>
    </p>
  );
}

/** The same as a button, for what she can do there; `main` for what the page asks of her. */
export function PressLink({ href, main = false, children }: LinkProps & { main?: boolean }) {
  return (
    <p className="place-press">
      <a className={main ? 'button' : 'button button--quiet'} href={href}>
        {children}
      </a>
    </p>
  );
}

interface ZoneSelectProps {
  id: string;
  chosen: string;
  /** They are among the choices, also where they are not common. */
  zones: readonly string[];
  noteId?: string;
}

/** The choice of the zone in which she reads the hours. */
export function ZoneSelect({ id, chosen, zones, noteId }: ZoneSelectProps) {
  return (
    <>
      <label className="field__label" htmlFor={id}>
        {timeZoneWords.label}
      </label>
      <select
        id={id}
        name="timeZone"
        className="field__control"
        defaultValue={chosen}
        aria-describedby={noteId}
      >
        {zoneChoices(...zones).map((zone) => (
          <option key={zone.id} value={zone.id}>
            {zone.name}
          </option>
        ))}
      </select>
    </>
  );
}

interface SumRowProps {
  label: string;
  sum: string;
  note?: string | undefined;
  /** Set for the open sum, or the total. */
  strong?: boolean;
}

/** A row of a list of sums: label, sum and note. */
export function SumRow({ label, sum, note, strong }: SumRowProps) {
  return (
    <div className={strong ? 'place-sum place-sum--open' : 'place-sum'}>
      <dt>{label}</dt>
      <dd>
        <strong>{sum}</strong>
        {note && <span>{note}</span>}
      </dd>
    </div>
  );
}

/** The refund for a cancellation: for each part of what she paid, unless that is the deposit alone, and in total. */
export function RefundLines({ refund, edition }: { refund: OwnPageRefund; edition: Edition }) {
  const lines = describeRefund(refund, edition);
  const [only] = lines.length === 1 ? lines : [];
  return (
    <dl className="place-sums">
      {!only &&
        lines.map(({ label, sum, note }) => <SumRow key={label} label={label} sum={sum} note={note} />)}
      <SumRow label={cancelPageWords.total} sum={formatCents(refund.cents)} note={only?.note} strong />
    </dl>
  );
}
