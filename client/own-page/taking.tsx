import { Paragraphs } from '#client/ui/texts.tsx';
import type { Edition, Terms } from '#shared/content/edition.ts';
import { tellMoment } from '#shared/content/moments.ts';
import { offerWords, takeWords as words } from '#shared/content/own-page-form-words.ts';
import { dayOf } from '#shared/content/own-page-plan.ts';
import type { OfferView, TakeView } from '#shared/content/own-page-view.ts';
import { policiesOf } from '#shared/content/policies.ts';
import { timeZoneWords } from '#shared/content/time-zones.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { formPaths } from '#shared/own-page.ts';
import type { OfficeContact } from '#shared/page.ts';
import { lastDayOf } from './leaving.tsx';
import { LinkFrame, type PageProps, PostForm, Section, SumRow, Tick, ZoneSelect } from './parts.tsx';
import { CardNamed } from './paying.tsx';

export function TakeDocument({ view, office, look }: PageProps & { view: TakeView }) {
  const { edition, from, left, card, until, error } = view;
  const { title, siteName, startDate, endDate } = edition.facts;
  const isCharged = left.how === 'charged' && left.cents > 0;
  return (
    <LinkFrame
      siteName={siteName}
      title={words.title}
      help={words.help}
      office={office}
      look={look}
      className="place--take"
    >
      <p className="lede">{words.lede(from, title, formatDateRange(startDate, endDate))}</p>
      {error !== undefined && (
        <p className="place-error" role="alert">
          {error}
        </p>
      )}
      <p className="place-note">{words.until(lastDayOf(until, edition))}</p>
      <Stands view={view} />
      <Policies {...view} office={office} note={words.policiesNote} />
      {isCharged && <TakersCard view={view} />}
      {(card || !isCharged) && (
        <Section className="place-balance" id="accept" title={words.accept}>
          <p>{words.phone(view.maskedPhone)}</p>
          <Agreement view={view} />
        </Section>
      )}
    </LinkFrame>
  );
}

function TakersCard({ view: { card, left, link } }: { view: TakeView }) {
  return (
    <Section className="place-balance" id="card" title={words.yourCard}>
      {card && <CardNamed card={card} label={words.cardGiven} />}
      <p>{words[left.byPlan ? 'cardByPlan' : 'card'](left.cents)}</p>
      {!card && <p>{words.cardNote}</p>}
      <PostForm
        className="place-form"
        action={formPaths.takersCard}
        hidden={{ link }}
        submit={card ? words.otherCard : words.giveCard}
        isQuiet={card !== undefined}
      />
    </Section>
  );
}

function Stands({ view }: { view: TakeView }) {
  const { edition, name, email, payments, waivedCents, left } = view;
  return (
    <Section className="place-payments" id="stands" title={words.stands}>
      <dl className="place-sums">
        <SumRow label={words.package} sum={edition.facts.retreatPackage.title} />
        <SumRow label={words.for} sum={name} note={email} />
        {payments.map(({ what, cents, at, reference, part }) => (
          <SumRow
            key={`${what} ${reference ?? at.toISOString()}`}
            label={part ? words.paidPart(titleOfPart(part)) : words.paid[what]}
            sum={formatCents(cents)}
            note={words.paidNote(dayOf(at, view))}
          />
        ))}
        {waivedCents > 0 && <SumRow label={words.waived} sum={formatCents(waivedCents)} />}
        {left.cents > 0 ? (
          <SumRow
            label={words.left}
            sum={formatCents(left.cents)}
            note={words[howLeft(left)](dayOf(left.dueAt, view))}
            strong
          />
        ) : (
          <SumRow label={words.left} sum={words.nothingLeft} strong />
        )}
      </dl>
      <p>{words.ownMoney}</p>
    </Section>
  );
}

function howLeft({ how, byPlan }: TakeView['left']): 'byPlan' | 'byCheck' | 'charged' | 'asked' {
  if (byPlan) return 'byPlan';
  return how === 'by-check' ? 'byCheck' : how;
}

interface PoliciesProps {
  edition: Edition;
  terms: Terms;
  office: OfficeContact;
  note: string;
}

function Policies({ edition, terms, office, note }: PoliciesProps) {
  return (
    <Section className="place-policies" id="policies" title={words.policies}>
      <p>{note}</p>
      {policiesOf(terms, office, edition.facts.siteName).map(({ title, paragraphs }) => (
        <div key={title}>
          <h3>{title}</h3>
          <Paragraphs of={paragraphs} />
        </div>
      ))}
    </Section>
  );
}

function Agreement({ view: { edition, terms, left, link, session = '' } }: { view: TakeView }) {
  const { id: retreatZone } = edition.timetable.timeZone;
  const { version, digest } = terms;
  return (
    <PostForm
      className="place-form"
      action={formPaths.takePlace}
      hidden={{ link, version, digest, cents: left.cents, session }}
      submit={words.submit}
    >
      <div className="field">
        <ZoneSelect
          id="take-zone"
          name="timeZone"
          defaultValue={retreatZone}
          zones={[retreatZone]}
          aria-describedby="take-zone-note"
        />
        <p className="field__note" id="take-zone-note">
          {timeZoneWords.note}
        </p>
      </div>
      <Tick name="agreed" label={words.agree} />
    </PostForm>
  );
}

/** The page of an offer to somebody on the waiting list; once she takes the place, her own page asks for the deposit. */
export function OfferDocument({ view, office, look }: PageProps & { view: OfferView }) {
  const { edition, name, email, until, postTo, error } = view;
  const { title, siteName, startDate, endDate, prices, retreatPackage } = edition.facts;
  const { version, digest } = edition.terms;
  return (
    <LinkFrame
      siteName={siteName}
      title={offerWords.title}
      help={words.help}
      office={office}
      look={look}
      className="place--take"
    >
      <p className="lede">{offerWords.lede(title, formatDateRange(startDate, endDate))}</p>
      {error !== undefined && (
        <p className="place-error" role="alert">
          {error}
        </p>
      )}
      <p className="place-note">{offerWords.until(tellMoment(until, edition.timetable))}</p>
      <Section className="place-payments" id="stands" title={words.stands}>
        <dl className="place-sums">
          <SumRow label={words.package} sum={retreatPackage.title} />
          <SumRow label={words.for} sum={name} note={email} />
          <SumRow
            label={offerWords.deposit}
            sum={formatCents(prices.depositCents)}
            note={offerWords.depositNote}
            strong
          />
          <SumRow
            label={offerWords.balance}
            sum={formatCents(prices.balanceCents)}
            note={offerWords.balanceNote}
          />
        </dl>
      </Section>
      <Policies edition={edition} terms={edition.terms} office={office} note={offerWords.policiesNote} />
      <Section className="place-balance" id="accept" title={offerWords.accept}>
        <p>{words.phone(view.maskedPhone)}</p>
        <PostForm
          className="place-form"
          action={postTo}
          hidden={{ version, digest }}
          submit={offerWords.submit}
        >
          <Tick name="agreed" label={words.agree} />
        </PostForm>
      </Section>
    </LinkFrame>
  );
}
