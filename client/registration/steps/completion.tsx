import { selectRegistration } from '#client/store/stepper-slice.ts';
import { selectSite, useAppSelector } from '#client/store/store.ts';
import { Drawing } from '#client/ui/drawing.tsx';
import { OfficeContact } from '#client/ui/links.tsx';
import { findOwnClock } from '#client/ui/schedule.tsx';
import { completionCopy, nextSteps } from '#shared/content/after-deposit.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { openDoor } from '#shared/content/compiled/on-sale/open-door.ts';
import { timetable } from '#shared/content/compiled/on-sale/timetable.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { CALENDAR_PATH } from '#shared/content/schedule.ts';
import { formatCents } from '#shared/money.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { PolicyDetails } from './policies.tsx';
import { useStartOver } from './step-footer.tsx';

const copy = completionCopy;

/** Shown after payment (R2.7): the charge, and what happens next. */
export default function CompletionView() {
  const { forgetAll } = useStartOver();
  const {
    cardPaymentIntent,
    confirmationMail = 'queued',
    email,
    firstName,
  } = useAppSelector(selectRegistration);
  return (
    <div className="completion">
      <Drawing svg={openDoor} className="completion__door" />
      <div role="status">
        {firstName && <p className="completion__name">{copy.comeIn(firstName)}</p>}
        <h3>{registrationCopy.completion}</h3>
        {cardPaymentIntent && <p>{registrationCopy.charged(formatCents(cardPaymentIntent.amount))}</p>}
        {email && (
          <p>
            {copy.mail[confirmationMail]} <strong className="completion__email">{email}</strong>{' '}
            <a href={formPaths.details}>
              {copy.change} <span className="visually-hidden">{copy.changeWhat}</span>
            </a>
          </p>
        )}
      </div>
      <OwnPage />
      <NextSteps />
      <OfficeContact text={copy.questions} />
      <PolicyDetails />
      <button type="button" className="button button--quiet" onClick={forgetAll}>
        {copy.registerAnother}
      </button>
    </div>
  );
}

/** Leads to her page. The client secret that opens it is lost at a reload: the page then asks for her address. */
function OwnPage() {
  const { paymentIntentClientSecret: secret } = useAppSelector(selectRegistration);
  return (
    <form method="post" action={ownPagePaths.open}>
      <p>{copy.ownPage}</p>
      <p>
        {secret ? (
          <>
            <input type="hidden" name="paymentIntentClientSecret" value={secret} />
            <button type="submit" className="button">
              {copy.openOwnPage}
            </button>
          </>
        ) : (
          <a className="button" href={OWN_PAGE_PATH}>
            {copy.openOwnPage}
          </a>
        )}
      </p>
    </form>
  );
}

function NextSteps() {
  const { balanceTiming } = useAppSelector(selectSite);
  const steps = nextSteps({ facts, timetable }, findOwnClock(), balanceTiming);
  return (
    <section className="next-steps" aria-labelledby="next-steps-title">
      <h4 id="next-steps-title">{copy.nextTitle}</h4>
      <dl>
        {steps.map(({ date, when, text }) => (
          <div key={when}>
            <dt>{date ? <time dateTime={date}>{when}</time> : when}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <a href={CALENDAR_PATH}>{copy.addToCalendar}</a>
    </section>
  );
}
