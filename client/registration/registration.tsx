import { type ComponentType, type RefObject, useEffect, useRef } from 'react';
import { LazyPart } from '#client/loading/lazy-part.tsx';
import { type Chunk, loadChunk } from '#client/loading/load-chunk.ts';
import {
  next,
  selectActiveStep,
  selectHasPayment,
  selectRegistration,
  selectStepCompleted,
} from '#client/store/stepper-slice.ts';
import { selectSite, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import {
  OfficeContact,
  OfficeEmailLink,
  OfficePhoneLink,
  PrivacyButton,
  ReserveWords,
} from '#client/ui/links.tsx';
import { Items } from '#client/ui/texts.tsx';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { afterDeposit, reliefs, wholePrice } from '#shared/content/prices.ts';
import { privacyButtons } from '#shared/content/privacy.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { type RegistrationStep, registrationSteps } from '#shared/content/registration-steps.ts';
import { formatDollars } from '#shared/money.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { registrationKey } from './progress/progress.ts';
import { PoliciesToKeep, PolicyDetails, useHydrated } from './steps/policies.tsx';
import { StepFooter } from './steps/step-footer.tsx';

/** The registration stepper (R1.13, R2), or the waiting list, or why registration is not open. */
export function Registration() {
  const { registrationOpen, registrationOpensOn, isFull } = useAppSelector(selectSite);
  const hasPayment = useAppSelector(selectHasPayment);
  const { title, reserved, full, closed, notYetOpen } = registrationCopy;
  const reason = registrationOpensOn ? notYetOpen.title(registrationOpensOn) : closed.title;
  // The last place may be the visitor's own.
  const isFullForHer = isFull === true && !hasPayment;
  const titleOpen = isFullForHer ? full.title : title;
  const focusRef = useFocusOnChange<HTMLDivElement>(isFullForHer);
  useBarAway();
  return (
    <>
      <h2 id="register-title">
        {registrationOpen ? <ReserveWords open={titleOpen} done={reserved} /> : reason}
      </h2>
      {!registrationOpen && <Closed />}
      {registrationOpen && !isFullForHer && <Stepper />}
      {registrationOpen && isFullForHer && <Full focusRef={focusRef} />}
    </>
  );
}

/** Hides the phone's price bar while the registration is in view. */
function useBarAway(): void {
  useEffect(() => {
    const bar = document.querySelector<HTMLElement>('.phone-bar');
    const section = document.getElementById(REGISTER_SECTION_ID);
    if (!bar || !section) return;
    const views = new IntersectionObserver((entries) => {
      bar.style.visibility = entries.at(-1)?.isIntersecting ? 'hidden' : '';
    });
    views.observe(section);
    return () => views.disconnect();
  }, []);
}

/** The waiting list. The server renders only what is needed without scripts. */
function Full({ focusRef }: { focusRef: RefObject<HTMLDivElement | null> }) {
  const hydrated = useHydrated();
  return (
    <>
      <noscript>
        <OfficeContact text={registrationCopy.full.withoutScript} />
      </noscript>
      <div ref={focusRef} className="register__step" tabIndex={-1}>
        {hydrated && <LazyPart chunk={waitingList} />}
      </div>
      <PolicyDetails />
    </>
  );
}

/** Registrants can still read the policies here. */
function Closed() {
  const { registrationOpensOn } = useAppSelector(selectSite);
  return (
    <>
      <OfficeContact
        text={registrationOpensOn ? registrationCopy.notYetOpen.text : registrationCopy.closed.text}
      />
      <PolicyDetails />
    </>
  );
}

function Stepper() {
  const activeStep = useAppSelector(selectActiveStep);
  usePreloadedStep(activeStep);
  const focusRef = useFocusOnChange<HTMLHeadingElement & HTMLDivElement>(activeStep);
  const done = activeStep >= registrationSteps.length;
  return (
    <>
      <noscript>
        <OfficeContact {...registrationCopy.withoutScript} />
        <PoliciesToKeep />
      </noscript>
      <div className="stepper">
        <StepProgress />
        <div ref={done ? focusRef : undefined} className="register__step" tabIndex={-1}>
          {!done && <StepHeading ref={focusRef} step={activeStep} />}
          <ActiveStep step={activeStep} />
        </div>
        {activeStep > 0 && (
          <p className="stepper-privacy">
            <PrivacyButton>{privacyButtons.fromStepper}</PrivacyButton>
          </p>
        )}
      </div>
    </>
  );
}

/** The server renders the first step only; the others arrive with their forms when they are needed. */
function ActiveStep({ step }: { step: number }) {
  const chunk = lazySteps[step - 1];
  return chunk ? <LazyPart key={chunk.id} chunk={chunk} /> : <PackageStep />;
}

/**
 * Focuses the element when `value` changes, but not at first: a screen reader then reads the new content.
 * Before the visitor has interacted with the page, a change only restores progress: no scrolling.
 */
function useFocusOnChange<Target extends HTMLElement>(value: unknown): RefObject<Target | null> {
  const target = useRef<Target>(null);
  const previous = useRef(value);
  useEffect(() => {
    if (previous.current === value) return;
    previous.current = value;
    if (!navigator.userActivation.hasBeenActive) return;
    const element = target.current;
    if (!element) return;
    element.focus({ preventScroll: true });
    // An element taller than the screen is shown from its top.
    const isTall = element.getBoundingClientRect().height > window.innerHeight;
    element.scrollIntoView({ block: isTall ? 'start' : 'nearest' });
  }, [value]);
  return target;
}

/** The three labelled steps; active and completed ones differ in more than colour. */
function StepProgress() {
  return (
    <ol className="step-progress" aria-label={registrationCopy.progressLabel}>
      {registrationSteps.map((step, index) => (
        <ProgressItem key={step.label} step={step} index={index} />
      ))}
    </ol>
  );
}

function ProgressItem({ step, index }: { step: RegistrationStep; index: number }) {
  const active = useAppSelector(selectActiveStep) === index;
  const completed = useAppSelector((state) => selectStepCompleted(state, index));
  const state = active ? 'active' : completed ? 'completed' : 'open';
  return (
    <li
      className={`step-progress__item step-progress__item--${state}`}
      aria-current={active ? 'step' : undefined}
    >
      <span className="step-progress__marker" aria-hidden="true">
        {!completed && index + 1}
      </span>
      <span>
        {step.label}
        {completed && <span className="visually-hidden"> ({registrationCopy.completedStep})</span>}
      </span>
    </li>
  );
}

/** The heading of a step, counted from 0. It is shown at once, before the step's form has loaded. */
function StepHeading({ ref, step }: { ref: RefObject<HTMLHeadingElement | null>; step: number }) {
  return (
    <h3 ref={ref} className={`step-heading step-heading--${step + 1}`} tabIndex={-1}>
      <span>{registrationCopy.stepOf(step + 1, registrationSteps.length)}</span>{' '}
      <span className="visually-hidden">{registrationSteps[step]?.label}</span>
    </h3>
  );
}

type Step = Chunk<{ default: ComponentType }>;

/** The steps after the first one, and the completion view; they are loaded, with their forms, when they are needed. */
const lazySteps: Step[] = [
  { id: 'contact-step', load: () => import('./steps/contact-step.tsx') },
  { id: 'payment-step', load: () => import('./steps/payment-step.tsx') },
  { id: 'completion', load: () => import('./steps/completion.tsx') },
];

/** Shown instead of the steps while the retreat is full. */
const waitingList: Step = {
  id: 'waiting-list',
  load: () => import('./steps/waiting-list.tsx'),
};

/** Preloads the step after the active one. A failure is ignored here, and shown when the step is opened. */
function usePreloadedStep(activeStep: number): void {
  useEffect(() => {
    const step = lazySteps[activeStep];
    if (step) loadChunk(step).catch(() => {});
  }, [activeStep]);
}

const { retreatPackage, prices } = facts;
const copy = registrationCopy.package;

/** Step 1: the package and its price (R2.4). Choosing it starts the registration and gives it its key. */
function PackageStep() {
  const dispatch = useAppDispatch();
  const { idempotencyKey } = useAppSelector(selectRegistration);
  const choose = () => {
    dispatch(
      next({
        package: retreatPackage.id,
        liveStreamingPass: retreatPackage.selection,
        idempotencyKey: idempotencyKey ?? registrationKey(),
      }),
    );
  };
  return (
    <>
      <PackageCard onChoose={choose} />
      <CardFeeNote />
      <StepFooter onNext={choose} />
    </>
  );
}

function PackageCard({ onChoose }: { onChoose: () => void }) {
  const { balanceTiming } = useAppSelector(selectSite);
  const { title, oldPrice, total, deposit, features, asteriskNote } = retreatPackage;
  return (
    <article className="package-card" aria-labelledby="package-title">
      <p className="package-card__banner">{copy.banner(prices.savingCents)}</p>
      <h3 id="package-title">{title}</h3>
      <p className="package-card__price">
        <s>
          <span className="visually-hidden">{copy.oldPriceLabel} </span>
          {formatDollars(oldPrice)}
        </s>
        {'\u00a0· '}
        <strong>
          <span className="visually-hidden">{copy.priceLabel} </span>
          {formatDollars(total)}
        </strong>
      </p>
      <p className="package-card__rate">{copy.rateLabel}</p>
      <p className="package-card__whole">{wholePrice(facts)}</p>
      <ul>
        <Items of={features} />
      </ul>
      {asteriskNote && <p>* {asteriskNote}</p>}
      <p className="package-card__deposit">
        {copy.depositLabel} <strong>{formatDollars(deposit)}**</strong>
      </p>
      <p className="package-card__after">{afterDeposit(facts, balanceTiming)}</p>
      <p className="package-card__after">{copy.reliefs}</p>
      <ul>
        <Items of={reliefs(facts, balanceTiming)} />
      </ul>
      <button type="button" className="button" onClick={onChoose}>
        {copy.select}
      </button>
      <PolicyDetails />
    </article>
  );
}

function CardFeeNote() {
  return (
    <p className="package-note">
      ** {copy.byCheck(prices)}, or to ask about payment plans, contact the retreat office by e-mail at{' '}
      <OfficeEmailLink /> or by phone at <OfficePhoneLink />.
    </p>
  );
}
