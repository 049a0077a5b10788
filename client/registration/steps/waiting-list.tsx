import { useEffect, useRef, useState } from 'react';
import * as v from 'valibot';
import { submitOrShow, useForm } from '#client/registration/fields/form.tsx';
import { gotNoAnswer } from '#client/registration/payment/http-client.ts';
import { explain, RegistrationRefused } from '#client/registration/payment/messages.ts';
import { registrationKey } from '#client/registration/payment/registration-key.ts';
import { ask } from '#client/registration/payment/request.ts';
import { merge, selectActiveStep, selectRegistration } from '#client/store/stepper-slice.ts';
import { hasPlaces, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { OfficeContact } from '#client/ui/links.tsx';
import { Paragraphs } from '#client/ui/texts.tsx';
import { waitingListCopy } from '#shared/content/waiting-list.ts';
import { CONTACT_FIELDS, contactIn, contactSchema } from '#shared/registration.ts';
import {
  JOIN_WAITING_PATH,
  type JoinWaitingRequest,
  type JoinWaitingResponse,
  joinWaitingResponseSchema,
  PLACES_LEFT,
} from '#shared/waiting.ts';
import { ownTimeZone } from '#shared/zoned-time.ts';
import { ContactForm, type ContactSubmit } from './contact-form.tsx';

const WAITING_FORM = 'waiting';

interface Joined extends JoinWaitingResponse {
  email: string;
}

export default function WaitingList() {
  const [joined, setJoined] = useState<Joined>();
  return joined ? <JoinedView {...joined} /> : <JoinForm onJoined={setJoined} />;
}

function JoinForm({ onJoined }: { onJoined: (joined: Joined) => void }) {
  const registration = useAppSelector(selectRegistration);
  const hadBegun = useAppSelector(selectActiveStep) > 0;
  const dispatch = useAppDispatch();
  const [hiddenFieldFilled, setHiddenFieldFilled] = useState(false);
  const [placesLeft, setPlacesLeft] = useState(false);
  useForm(WAITING_FORM, contactIn(registration.unanswered ?? registration));

  const join: ContactSubmit = async ({ website = '', ...values }) => {
    const contact = v.parse(contactSchema, values);
    const json: JoinWaitingRequest = {
      ...contact,
      timeZone: ownTimeZone(),
      website: hiddenFieldFilled ? '' : website,
    };
    try {
      const options = { idempotencyKey: registrationKey() };
      const { confirmationMail } = await ask(JOIN_WAITING_PATH, joinWaitingResponseSchema, json, options);
      onJoined({ confirmationMail, email: contact.email });
    } catch (error) {
      const code = error instanceof RegistrationRefused ? error.code : undefined;
      if (code === 'looks_automated') setHiddenFieldFilled(true);
      setPlacesLeft(code === PLACES_LEFT);
      throw error;
    }
  };
  const submit: ContactSubmit = (values) =>
    submitOrShow(
      () => join(values),
      (error) => explain(error, reassure, CONTACT_FIELDS),
    );
  const register: ContactSubmit = async (values) => {
    dispatch(merge(contactIn(values)));
    dispatch(hasPlaces());
    const title = document.getElementById('register-title');
    if (title) title.tabIndex = -1;
    title?.focus();
  };
  return (
    <>
      <div className="waiting-intro">
        {hadBegun && <p>{waitingListCopy.takenMeanwhile}</p>}
        <Paragraphs of={waitingListCopy.intro} />
      </div>
      <ContactForm
        form={WAITING_FORM}
        title={waitingListCopy.formTitle}
        onSubmit={submit}
        answer={placesLeft ? { words: waitingListCopy.register, submit: register } : undefined}
        honeypotUnread={hiddenFieldFilled}
        submitLabel={waitingListCopy.submit}
      >
        <p className="amount-note">{waitingListCopy.consent}</p>
      </ContactForm>
    </>
  );
}

const reassure = (error: unknown): string =>
  gotNoAnswer(error) ? waitingListCopy.offline : waitingListCopy.notJoined;

function JoinedView({ confirmationMail, email }: Joined) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="completion">
      <h3 ref={heading} tabIndex={-1}>
        {waitingListCopy.joined}
      </h3>
      <p role="status">{waitingListCopy.joinedMail[confirmationMail](email)}</p>
      <Paragraphs of={waitingListCopy.next} />
      <OfficeContact text={waitingListCopy.questions} />
    </div>
  );
}
