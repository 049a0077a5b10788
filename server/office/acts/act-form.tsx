import type { Request } from 'express';
import type { ReactNode } from 'react';
import * as v from 'valibot';
import {
  choicesIn,
  type Field,
  type Fields,
  type LetterReading,
  type OfficeAct,
  type Told,
  type Typed,
} from '#server/acts/act.ts';
import { ForLine, PressForm, Section, Warning, WayBack } from '#server/office/parts.tsx';
import type { SignedIn } from '#server/users/user.ts';
import { ToldView } from './notices.tsx';

/** The subject of an act: how its pages name it, and where it is shown. */
export interface ActSubject {
  name: string;
  path: string;
  /** The text of the link that leads back there. */
  back: string;
}

interface ActProps<About> {
  act: OfficeAct<About, never>;
  /** The URL of its form. */
  action: string;
  situation: About;
  subject: ActSubject;
  signedIn: SignedIn;
  typed: Typed;
}

interface FormProps<About> extends ActProps<About> {
  /** By the names of the fields. */
  errors?: Readonly<Record<string, string>>;
  /** Why the act was not carried out. */
  problem?: string;
}

/** The form of an act. Submitting it shows what will happen; nothing is done yet. */
export function ActForm<About>(props: FormProps<About>) {
  const { act, subject, errors = {}, problem } = props;
  return (
    <ActPage subject={subject}>
      <p>{act.sentence}</p>
      {problem !== undefined && <Warning>{problem}</Warning>}
      {Object.keys(errors).length > 0 && <Warning>Please look at this once more. Nothing was done.</Warning>}
      <ActFields {...props} />
    </ActPage>
  );
}

export function ActFields<About>(props: Omit<FormProps<About>, 'subject' | 'problem'>) {
  const { act, action, situation, signedIn, typed, errors = {} } = props;
  return (
    <PressForm className="act-form" action={action} token={signedIn.token}>
      {Object.entries(act.fields).map(([name, field]) => (
        <FieldView
          key={name}
          name={name}
          field={field}
          situation={situation}
          typed={typed}
          error={errors[name]}
        />
      ))}
      <button type="submit" className="button">
        Show what will happen
      </button>
    </PressForm>
  );
}

interface PreviewProps<About> extends ActProps<About> {
  told: Told;
  /** The text of the button that carries the act out. */
  confirm: string;
  /** What came of trying it out. */
  tried?: string | undefined;
}

/** What will happen, and the button that does it. */
export function ActPreview<About>(props: PreviewProps<About>) {
  const { act, action, subject, signedIn, typed, told, confirm, tried } = props;
  const names = namesOf(act);
  const given = Object.fromEntries(names.map((name) => [name, typed[name] ?? '']));
  return (
    <ActPage subject={subject}>
      {tried !== undefined && (
        <div className="registration-notice" role="status">
          <p>{tried}</p>
        </div>
      )}
      {told.outcome === 'changed' && (
        <Warning>Something has changed meanwhile. Nothing was done. Now this would happen:</Warning>
      )}
      <WhatIsTold title="What will happen" says={told.says} />
      <PressForm
        className="act-form"
        action={action}
        token={signedIn.token}
        hidden={{ seen: told.seen, ...given }}
      >
        <div className="act-buttons">
          <Step step="confirm">{confirm}</Step>
          {act.trial && <Step step="try">{act.trial.words}</Step>}
          {letterIn(told) && <Step step="letter">See it as an e-mail</Step>}
          {names.length > 0 && <Step step="edit">Change what I gave</Step>}
        </div>
      </PressForm>
    </ActPage>
  );
}

function Step({ step, children }: { step: 'confirm' | 'try' | 'letter' | 'edit'; children: string }) {
  return (
    <button
      type="submit"
      className={step === 'confirm' ? 'button' : 'button button--quiet'}
      name="step"
      value={step}
      formTarget={step === 'letter' ? '_blank' : undefined}
    >
      {children}
    </button>
  );
}

export function WhatIsTold({ title, says }: Pick<Told, 'says'> & { title: string }) {
  return (
    <Section className="act-preview" id="told" title={title}>
      <ToldView says={says} />
    </Section>
  );
}

/** The letter that an act would send, if it shows one. */
export function letterIn({ says }: Told): LetterReading | undefined {
  for (const said of says) if (typeof said === 'object' && 'letter' in said) return said.letter;
  return undefined;
}

export function ActPage({ subject, children }: { subject: ActSubject; children: ReactNode }) {
  return (
    <>
      <ForLine path={subject.path}>{subject.name}</ForLine>
      {children}
      <WayBack {...subject} />
    </>
  );
}

const typedSchema = v.fallback(v.record(v.string(), v.string()), {});

/** What was typed into the form that a request sends; nothing without one. */
export const typedIn = ({ body }: Request): Typed => v.parse(typedSchema, body);

/** The names of the values that a form sends. */
export function namesOf(act: { fields: Fields<never> }): string[] {
  return Object.entries(act.fields).flatMap(([name, { input }]) =>
    input === 'moment' ? [name, `${name}-time`] : [name],
  );
}

interface FieldProps<About> extends Pick<ActProps<About>, 'situation' | 'typed'> {
  name: string;
  field: Field<About>;
  error: string | undefined;
}

function FieldView<About>({ name, field, situation, typed, error }: FieldProps<About>) {
  const { label, hint, input = 'line' } = field;
  const choices = choicesIn(field, situation);
  const [id, hintId, errorId] = [`field-${name}`, `hint-${name}`, `error-${name}`];
  const described = [hint && hintId, error && errorId].filter(Boolean).join(' ');
  const shared = {
    id,
    name,
    required: !field.isOptional,
    ...(described && { 'aria-describedby': described }),
    ...(error && { 'aria-invalid': true }),
  };
  // No form sends a box that is not ticked.
  const isUnticked = input === 'mark' && Object.keys(typed).length > 0;
  const value = typed[name] ?? (isUnticked ? '' : (field.initial?.(situation) ?? ''));
  if (input === 'mark')
    return (
      <div className="act-mark">
        <input id={id} name={name} type="checkbox" value="yes" defaultChecked={value !== ''} />
        <label htmlFor={id}>{label}</label>
      </div>
    );
  return (
    <div className="act-field">
      <label htmlFor={id}>{label}</label>
      {hint && (
        <p id={hintId} className="registration-fine">
          {hint}
        </p>
      )}
      {choices ? (
        <select {...shared} defaultValue={value}>
          {choices.length > 1 && <option value="">Please choose</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.words}
            </option>
          ))}
        </select>
      ) : input === 'text' ? (
        <textarea {...shared} rows={8} defaultValue={value} />
      ) : (
        <input {...shared} {...INPUTS[input]} defaultValue={value} />
      )}
      {input === 'moment' && (
        <>
          <label htmlFor={`${id}-time`}>At what time, if it matters</label>
          <input
            id={`${id}-time`}
            name={`${name}-time`}
            type="time"
            defaultValue={typed[`${name}-time`] ?? ''}
          />
        </>
      )}
      {error && (
        <p id={errorId} className="act-error">
          {error}
        </p>
      )}
    </div>
  );
}

const INPUTS = {
  amount: { type: 'text', inputMode: 'decimal', autoComplete: 'off' },
  day: { type: 'date' },
  moment: { type: 'date' },
  line: { type: 'text', autoComplete: 'off' },
  // The browser's own check would refuse an address that was copied with invisible marks.
  email: { type: 'text', inputMode: 'email', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
  tel: { type: 'tel', autoComplete: 'off' },
  url: { type: 'text', inputMode: 'url', autoComplete: 'off', autoCapitalize: 'none', spellCheck: false },
} as const;
