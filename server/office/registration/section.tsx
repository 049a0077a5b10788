import type { ReactNode } from 'react';
import { moment } from '#server/acts/plain-words.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';

/** A part of a registration's page, under a heading. */
export function Section({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section className="registration-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A moment in the retreat's time zone. */
export function Moment({ at, record }: { at: Date; record: RegistrationRecord }) {
  return <time dateTime={at.toISOString()}>{moment(at, record)}</time>;
}
