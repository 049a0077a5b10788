import { selectRegistration } from '#client/store/stepper-slice.ts';
import { selectSite, useAppSelector } from '#client/store/store.ts';
import { Drawing } from '#client/ui/drawing.tsx';
import { OfficeContact } from '#client/ui/links.tsx';
import { findOwnClock } from '#client/ui/schedule.tsx';
import { completionCopy, nextSteps } from '#shared/content/after-deposit.ts';
import { facts, openDoor, timetable } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { CALENDAR_PATH } from '#shared/content/schedule.ts';
import { formatCents } from '#shared/money.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { PolicyDetails } from './policies.tsx';
import { useStartOver } from './step-footer.tsx';

const copy = completionCopy;

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
            <button type="submit" form={OPENS} name="to" value="address" className="text-button">
              {copy.change} <span className="visually-hidden">{copy.changeWhat}</span>
            </button>
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

const OPENS = 'open-own-page';

/** Leads to her page. An hour after the payment the page asks for her address instead. */
function OwnPage() {
  const { paymentIntentClientSecret: secret } = useAppSelector(selectRegistration);
  return (
    <form id={OPENS} method="post" action={ownPagePaths.open}>
      <input type="hidden" name="paymentIntentClientSecret" value={secret} />
      <p>{copy.ownPage}</p>
      <p>
        <button type="submit" className="button">
          {copy.openOwnPage}
        </button>
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
