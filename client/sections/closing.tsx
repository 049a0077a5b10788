import { selectSite, useAppSelector } from '#client/store/store.ts';
import { ReserveLink } from '#client/ui/links.tsx';
import { Outlets, Picture, Stars } from '#client/ui/picture.tsx';
import { PageSection, SectionTitle } from '#client/ui/texts.tsx';
import { facts, page } from '#shared/content/compiled/on-sale.ts';
import type { FaqItem } from '#shared/content/entities.ts';
import { wholePrice } from '#shared/content/prices.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { formatDateSpan } from '#shared/dates.ts';
import { formatDollars } from '#shared/money.ts';

const { faq, media, closing } = page;

/** R1.10: eight questions that open one by one, before any script runs. */
export function Faq() {
  return (
    <PageSection id="faq">
      <div className="faq-intro">
        <SectionTitle sectionId="faq">{faq.title}</SectionTitle>
        <p>
          {faq.aside.text} <a href="#contact">{faq.aside.link}</a>.
        </p>
      </div>
      <ol className="faq-list">
        {faq.items.map((item, index) => (
          <li key={item.question}>
            <Question item={item} number={index + 1} />
          </li>
        ))}
      </ol>
    </PageSection>
  );
}

function Question({ item, number }: { item: FaqItem; number: number }) {
  return (
    <details className="faq-item">
      <summary>
        <span className="faq-number">{number}</span>
        <h3>{item.question}</h3>
        <span className="faq-marker" aria-hidden="true" />
      </summary>
      <div
        className="faq-answer"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: our own words, sanitised by an allow-list in the build (R1.10)
        dangerouslySetInnerHTML={{ __html: item.answer }}
      />
    </details>
  );
}

/** R1.11: nine outlets, then five. */
export function Media() {
  if (media.rows.length === 0) return null;
  return (
    <PageSection id="media" tone="sand">
      <SectionTitle sectionId="media">{media.title}</SectionTitle>
      {media.rows.map((row) => (
        <Outlets key={row.map(({ name }) => name).join()} of={row} className="word-marks media-row" />
      ))}
    </PageSection>
  );
}

/** R1.12: the last invitation before the registration. */
export function Closing() {
  const { registrationOpen, registrationOpensOn, isFull } = useAppSelector(selectSite);
  const notOpen = registrationOpensOn
    ? `${registrationCopy.notYetOpen.title(registrationOpensOn)}.`
    : closing.closedPrompt;
  const whileOpen = isFull ? `${registrationCopy.full.title}.` : closing.prompt;
  return (
    <PageSection id="closing" tone="deep">
      <div className="closing-text">
        <SectionTitle sectionId="closing">{closing.title}</SectionTitle>
        <p className="closing-dates">
          <time dateTime={facts.startDate}>{formatDateSpan(facts.startDate, facts.endDate)}</time>
        </p>
        <p className={registrationOpen ? 'lede reserve-open' : 'lede'}>
          {registrationOpen ? whileOpen : notOpen}
        </p>
        {registrationOpen && !isFull && <Tuition />}
        <div className="closing-action">
          <ReserveLink />
          <p className="closing-community">
            <Stars count={closing.stars} />
            <span>{closing.community}</span>
          </p>
        </div>
      </div>
      <Picture of={closing} className="closing-art" />
    </PageSection>
  );
}

function Tuition() {
  return (
    <p className="closing-tuition">
      {closing.tuitionLabel} <strong>{formatDollars(facts.retreatPackage.total)}</strong>
      {'\u00a0· '}
      <s>
        <span className="visually-hidden">{closing.oldTuitionLabel} </span>
        {formatDollars(facts.retreatPackage.oldPrice)}
      </s>
      {'\u00a0· '}
      <span>{closing.savingNote}</span>
      <small>{wholePrice(facts)}</small>
    </p>
  );
}
