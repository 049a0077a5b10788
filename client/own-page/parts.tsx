import type { FormHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react';
import { type PageLook, PlainDocument } from '#client/ui/plain-documents.tsx';
import type { Edition } from '#shared/content/edition.ts';
import { cancelPageWords, describeRefund } from '#shared/content/own-page-cancel.ts';
import { isFailed, type OwnPageNews } from '#shared/content/own-page-form-words.ts';
import type { OwnPageRefund, OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { timeZoneWords, zoneChoices } from '#shared/content/time-zones.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { formatCents } from '#shared/money.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';

interface SectionProps {
  id: string;
  title: string;
  className?: string;
  children: ReactNode;
}

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

interface SumRowProps {
  label: string;
  sum: string;
  note?: string | undefined;
  strong?: boolean;
}

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

const { close, closeNote, closeSure, leave, leaveNote } = ownPageWords;

/** Closes her page in every browser; a program that presses what it finds in a letter sets no tick. */
export function CloseForm({ token }: { token: string }) {
  return (
    <PostForm
      className="place-press-form"
      action={ownPagePaths.close}
      hidden={{ token }}
      submit={close}
      isQuiet
    >
      <p>{closeNote}</p>
      <Tick name="sure" label={closeSure} />
    </PostForm>
  );
}

export function LeaveForm({ token }: { token: string }) {
  return (
    <PostForm
      className="place-press-form"
      action={ownPagePaths.leave}
      hidden={{ token }}
      submit={leave}
      isQuiet
    >
      <p>{leaveNote}</p>
    </PostForm>
  );
}

export function Tick({ name, label }: { name: string; label: string }) {
  return (
    <label className="place-sure">
      <input type="checkbox" name={name} required /> <span>{label}</span>
    </label>
  );
}

interface PostFormProps extends Omit<FormHTMLAttributes<HTMLFormElement>, 'hidden'> {
  action: string;
  hidden?: Readonly<Record<string, string | number>>;
  submit: string;
  submitLabel?: string;
  isQuiet?: boolean;
}

/** A form that needs no script, with its one button. */
export function PostForm({ hidden = {}, submit, submitLabel, isQuiet, children, ...form }: PostFormProps) {
  return (
    <form method="post" {...form}>
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {children}
      <button type="submit" className={isQuiet ? 'button button--quiet' : 'button'} aria-label={submitLabel}>
        {submit}
      </button>
    </form>
  );
}

export function OfficeWays({ office: { officeEmail, officePhone } }: { office: OfficeContact }) {
  return (
    <p className="office-ways">
      <a href={mailLink(officeEmail)}>{officeEmail}</a>
      <a href={phoneLink(officePhone)}>{officePhone}</a>
    </p>
  );
}

export function News({ told, text }: { told: OwnPageNews; text: string }) {
  const failed = isFailed(told);
  return (
    <p className={failed ? 'place-error' : 'place-news'} role={failed ? 'alert' : 'status'}>
      {text}
    </p>
  );
}

export interface PageProps {
  office: OfficeContact;
  look: PageLook;
}

interface SheetProps {
  view: OwnPageView;
  look: PageLook;
  title: string;
  children: ReactNode;
}

/** What she reads, prints or keeps beside her page. */
export function Sheet({ view, look, title, children }: SheetProps) {
  return (
    <PlainDocument title={`${title} – ${view.edition.facts.siteName}`} look={look} className="place receipts">
      <p className="receipts-back">
        <a className="place-link" href={OWN_PAGE_PATH}>
          {ownPageWords.back}
        </a>
      </p>
      <h1>{title}</h1>
      {children}
    </PlainDocument>
  );
}

interface LinkFrameProps extends PageProps {
  siteName: string;
  title: string;
  help: string;
  className?: string;
  children: ReactNode;
}

export function LinkFrame({ siteName, title, help, office, children, ...page }: LinkFrameProps) {
  const className = ['place place--link', page.className].filter(Boolean).join(' ');
  return (
    <PlainDocument {...page} title={`${title} – ${siteName}`} className={className}>
      <p className="eyebrow">
        <a href="/">{siteName}</a>
      </p>
      <h1>{title}</h1>
      {children}
      <div>
        <p>{help}</p>
        <OfficeWays office={office} />
      </div>
    </PlainDocument>
  );
}

interface ZoneSelectProps extends SelectHTMLAttributes<HTMLSelectElement> {
  id: string;
  zones: readonly string[];
}

export function ZoneSelect({ id, zones, ...select }: ZoneSelectProps) {
  return (
    <>
      <label className="field__label" htmlFor={id}>
        {timeZoneWords.label}
      </label>
      <select id={id} className="field__control" {...select}>
        {zoneChoices(...zones).map((zone) => (
          <option key={zone.id} value={zone.id}>
            {zone.name}
          </option>
        ))}
      </select>
    </>
  );
}
