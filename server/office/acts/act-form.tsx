import type { ReactNode } from 'react';
import type { LetterReading } from '#server/acts/act-context.ts';
import type { Told } from '#server/acts/carry-out.ts';
import type { SignedIn } from '#server/users/user.ts';
import type { Choice, Field, OfficeAct, Typed } from './office-act.ts';
import { ToldView } from './told-view.tsx';

/** The subject of an act: how its pages name it, and where it is shown. */
export interface ActSubject {
  name: string;
  path: string;
  /** The text of the link that leads back there. */
  back: string;
}

interface ActProps<About> {
  act: OfficeAct<About>;
  /** The URL of its form. */
  action: string;
  situation: About;
  subject: ActSubject;
  signedIn: SignedIn;
  typed: Typed;
}

interface FieldsProps<About> extends Omit<ActProps<About>, 'subject'> {
  errors?: Readonly<Record<string, string>>;
}

interface FormProps<About> extends FieldsProps<About> {
  subject: ActSubject;
  /** Why the act was not carried out. */
  problem?: string;
}

/** The form of an act. Submitting it shows what will happen; nothing is done yet. */
export function ActForm<About>(props: FormProps<About>) {
  const { act, subject, errors = {}, problem } = props;
  return (
    <ActPage subject={subject}>
      <p>{act.sentence}</p>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {Object.keys(errors).length > 0 && <Problem>Please look at this once more. Nothing was done.</Problem>}
      <ActFields {...props} />
    </ActPage>
  );
}

/** The form alone. */
export function ActFields<About>(props: FieldsProps<About>) {
  const { act, action, situation, signedIn, typed, errors = {} } = props;
  return (
    <form className="act-form" method="post" action={action}>
      <input type="hidden" name="token" value={signedIn.token} />
      {Object.entries(act.fields).map(([name, field]) => (
        <FieldView
          key={name}
          {...{ name, field, typed }}
          initial={field.initial?.(situation)}
          choices={field.choices?.(situation)}
          error={errors[name]}
        />
      ))}
      <button type="submit" className="button">
        Show what will happen
      </button>
    </form>
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
  return (
    <ActPage subject={subject}>
      {tried !== undefined && (
        <div className="registration-notice" role="status">
          <p>{tried}</p>
        </div>
      )}
      {told.outcome === 'changed' && (
        <Problem>Something has changed meanwhile. Nothing was done. Now this would happen:</Problem>
      )}
      <section className="act-preview" aria-labelledby="will-happen">
        <h2 id="will-happen">What will happen</h2>
        <ToldView says={told.says} />
      </section>
      <form className="act-form" method="post" action={action}>
        <input type="hidden" name="token" value={signedIn.token} />
        <input type="hidden" name="seen" value={told.seen} />
        {namesOf(act).map((name) => (
          <input key={name} type="hidden" name={name} value={typed[name] ?? ''} />
        ))}
        <div className="act-buttons">
          <button type="submit" className="button" name="step" value="confirm">
            {confirm}
          </button>
          {act.trialWords !== undefined && (
            <button type="submit" className="button button--quiet" name="step" value="try">
              {act.trialWords}
            </button>
          )}
          {letterIn(told) && (
            <button
              type="submit"
              className="button button--quiet"
              name="step"
              value="letter"
              formTarget="_blank"
            >
              See it as an e-mail
            </button>
          )}
          {namesOf(act).length > 0 && (
            <button type="submit" className="button button--quiet" name="step" value="edit">
              Change what I gave
            </button>
          )}
        </div>
      </form>
    </ActPage>
  );
}

/** The letter that an act would send, if it shows one. */
export function letterIn({ says }: Told): LetterReading | undefined {
  for (const said of says) if (typeof said === 'object' && 'letter' in said) return said.letter;
  return undefined;
}

/**
 * The result of an act, if the page of its subject cannot show it: because it is a secret, or Redis is
 * unavailable.
 */
export function ActDone({ subject, told }: { subject: ActSubject; told: Told }) {
  return (
    <ActPage subject={subject}>
      <section className="act-preview" aria-labelledby="done">
        <h2 id="done">Done</h2>
        <ToldView says={told.says} />
      </section>
    </ActPage>
  );
}

/** Why an act is not possible now. */
export function ActNotPossible({ subject, why }: { subject: ActSubject; why: string }) {
  return (
    <ActPage subject={subject}>
      <Problem>This is not possible now, and nothing was done. {why}</Problem>
    </ActPage>
  );
}

function ActPage({ subject, children }: { subject: ActSubject; children: ReactNode }) {
  const { name, path, back } = subject;
  return (
    <>
      <p className="registration-fine">
        For <a href={path}>{name}</a>
      </p>
      {children}
      <p>
        <a href={path}>{back}</a>
      </p>
    </>
  );
}

function Problem({ children }: { children: ReactNode }) {
  return (
    <div className="registration-notice registration-notice--warning" role="alert">
      <p>{children}</p>
    </div>
  );
}

/** The names of the values that a form sends. */
export function namesOf({
  fields,
}: {
  fields: Readonly<Record<string, Pick<Field<never>, 'input'>>>;
}): string[] {
  return Object.entries(fields).flatMap(([name, { input }]) =>
    input === 'moment' ? [name, `${name}-time`] : [name],
  );
}

interface FieldProps {
  name: string;
  field: Pick<Field<never>, 'label' | 'hint' | 'input' | 'isOptional'>;
  /** The initial value. */
  initial: string | undefined;
  choices: readonly Choice[] | undefined;
  typed: Typed;
  error: string | undefined;
}

function FieldView({ name, field, initial = '', choices = [], typed, error }: FieldProps) {
  const { label, hint, input } = field;
  const [id, hintId, errorId] = [`field-${name}`, `hint-${name}`, `error-${name}`];
  const described = [hint && hintId, error && errorId].filter(Boolean).join(' ');
  const shared = {
    ...{ id, name, required: !field.isOptional },
    ...(described && { 'aria-describedby': described }),
    ...(error && { 'aria-invalid': true }),
  };
  const value = typed[name] ?? initial;
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
      {input === 'choice' ? (
        <Choices choices={choices} value={value} shared={shared} />
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
  email: { type: 'email', autoComplete: 'off' },
  tel: { type: 'tel', autoComplete: 'off' },
  url: { type: 'url', autoComplete: 'off' },
} as const;

interface ChoicesProps {
  choices: readonly Choice[];
  value: string;
  shared: object;
}

function Choices({ choices, value, shared }: ChoicesProps) {
  return (
    <select {...shared} defaultValue={value}>
      {choices.length > 1 && <option value="">Please choose</option>}
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.words}
        </option>
      ))}
    </select>
  );
}
