import type { InputHTMLAttributes, ReactNode } from 'react';
import { actWords } from '#shared/content/own-page-words.ts';
import type { OfficeContact } from '#shared/page.ts';
import type { PageProps } from './link-frame.tsx';
import { OfficeWays } from './office-section.tsx';

interface ActProps {
  name: 'pay' | 'card' | 'take';
  /** The label of the button that opens it. */
  title: string;
  /** Whether it is the main thing that the page asks her to do. */
  main: boolean;
  open: boolean;
  /** The label of the submit button. */
  submit: string;
  /** The CSRF token. */
  token: string;
  /** The sum shown to her, in US cents. */
  cents?: number;
  /** The position of the part of a payment plan that it pays. */
  part?: number | undefined;
  /** Where the form is sent once the card is stored; absent where a script does all. */
  action?: string;
  office: OfficeContact;
  children: ReactNode;
}

/** A form that takes a card. It opens without a script, but then shows that it needs one to work. */
export function Act({ name, title, main, open, submit, office, children, ...form }: ActProps) {
  const { token, cents, part, action } = form;
  return (
    <details className="act" name="act" open={open}>
      <summary className={main ? 'button' : 'button button--quiet'}>{title}</summary>
      <div className="act-without-script">
        <p>{actWords.withoutScript}</p>
        <OfficeWays office={office} />
      </div>
      <form
        className="act-form"
        method="post"
        action={action}
        noValidate
        data-act={name}
        data-token={token}
        data-cents={cents}
        data-part={part}
      >
        {children}
        <p className="act-note">{actWords.cardNote}</p>
        <button type="submit" className="button" data-ready={submit} disabled>
          {actWords.wait}
        </button>
        <div className="act-error" role="alert" tabIndex={-1} />
      </form>
    </details>
  );
}

/** What a page with such a form is made of, beside what it shows. */
export interface CardPageProps extends PageProps {
  /** Runs the card forms; the rest of the page works without it. */
  script: string | undefined;
  stripe: { publishableKey: string; scriptUrl: string | null };
}

/** The attributes by which the script finds Stripe, on an element around the forms. */
export function stripeAttributes({ publishableKey, scriptUrl }: CardPageProps['stripe']) {
  return { 'data-stripe-key': publishableKey, 'data-stripe-script': scriptUrl ?? undefined };
}

interface CardEntryProps {
  act: ActProps['name'];
  /** Hidden until she chooses to use another card. */
  hidden: boolean;
  /** The initial cardholder name. */
  cardholder: string;
}

const CARD_FIELDS = ['cardNumber', 'cardExpiry', 'cardCvc'] as const;

/** The fields of a card; Stripe mounts its own inputs into three of them. */
export function CardEntry({ act, hidden, cardholder }: CardEntryProps) {
  return (
    <div className="card-entry" data-new-card hidden={hidden}>
      <TextEntry
        id={`${act}-name`}
        name="cardholder"
        label={actWords.cardholder}
        autoComplete="cc-name"
        autoCapitalize="words"
        spellCheck={false}
        defaultValue={cardholder}
        required
      />
      {CARD_FIELDS.map((field) => (
        <div key={field} className="field" data-field={field}>
          {/* biome-ignore lint/a11y/noLabelWithoutControl: Stripe mounts its control there; pressing the label focuses it */}
          <label>
            <span className="field__label">{actWords[field]}</span>
            <span className="field__control field__control--card" data-card={field} />
          </label>
          <p className="field__error" aria-live="polite" />
        </div>
      ))}
      <TextEntry
        id={`${act}-postal-code`}
        name="postalCode"
        label={actWords.postalCode}
        note={actWords.postalCodeNote}
        autoComplete="billing postal-code"
        maxLength={16}
      />
    </div>
  );
}

interface TextEntryProps extends InputHTMLAttributes<HTMLInputElement> {
  id: string;
  name: string;
  label: string;
  note?: string;
}

/** A text input without a `name`, so that the browser never submits its text, even if the script fails. */
export function TextEntry({ id, name, label, note, ...input }: TextEntryProps) {
  const [noteId, errorId] = [`${id}-note`, `${id}-error`];
  return (
    <div className="field" data-field={name}>
      <label className="field__label" htmlFor={id}>
        {label}
      </label>
      <input
        type="text"
        {...input}
        id={id}
        className="field__control"
        aria-describedby={note ? `${noteId} ${errorId}` : errorId}
      />
      {note && (
        <p className="field__note" id={noteId}>
          {note}
        </p>
      )}
      <p className="field__error" id={errorId} aria-live="polite" />
    </div>
  );
}
