const CRESCENT = 'M0-13A13 13 0 0 1 0 13 18 18 0 0 0 0-13Z';
const HALF = 'M0-13A13 13 0 0 1 0 13Z';
const GIBBOUS = 'M0-13A13 13 0 0 1 0 13 7 13 0 0 1 0-13Z';
const FULL = 'M0-13A13 13 0 0 1 0 13 13 13 0 0 1 0-13Z';

/** Half a month of moons waxing on the left, half a month waning on the right, on an arc over the sun. */
const MOONS = [
  { transform: 'translate(105.6 272.5)', lit: CRESCENT },
  { transform: 'translate(150 187.3)', lit: HALF },
  { transform: 'translate(226.2 128.8)', lit: GIBBOUS },
  { transform: 'translate(320 108)', lit: FULL },
  { transform: 'translate(413.8 128.8) scale(-1 1)', lit: GIBBOUS },
  { transform: 'translate(490 187.3) scale(-1 1)', lit: HALF },
  { transform: 'translate(534.4 272.5) scale(-1 1)', lit: CRESCENT },
];

function Sky() {
  return (
    <>
      <path className="art-sky" d="M0 0H640V760H0Z" />
      <circle className="art-halo" cx="332" cy="366" r="158" />
      <circle className="art-glow" cx="332" cy="366" r="114" />
      <circle className="art-sun" cx="332" cy="366" r="72" />
      {MOONS.map(({ transform, lit }) => (
        <g key={transform} transform={transform}>
          <circle className="art-halo" r="13" />
          <path className="art-moon" d={lit} />
        </g>
      ))}
      <g className="art-stroke-ink">
        <path d="M150 334c9-10 16-9 21 0 6-9 14-10 22-1" />
        <path d="M204 312c6-7 11-7 15 0 4-6 10-7 15-1" />
      </g>
    </>
  );
}

function Hills() {
  return (
    <>
      <path
        className="art-far"
        d="M40 424C100 372 180 376 256 400 340 426 420 384 480 368 540 352 580 364 600 378V740H40Z"
      />
      <g className="art-near">
        <path d="M486 420C478 396 482 372 492 352 502 372 506 396 498 420Z" />
        <path d="M508 428C502 410 504 394 512 380 520 394 522 410 516 428Z" />
        <path d="M128 426C122 406 124 388 132 372 140 388 142 406 136 426Z" />
      </g>
      <path
        className="art-mid"
        d="M40 524C130 504 210 432 300 424 352 420 388 424 430 440 500 466 550 504 600 502V740H40Z"
      />
      <g className="art-stroke-light art-thin">
        <path d="M58 566C130 544 196 500 244 462" />
        <path d="M86 588C150 566 210 528 254 486" />
        <path d="M456 476C502 500 546 530 594 536" />
        <path d="M486 516C524 534 560 556 596 562" />
      </g>
    </>
  );
}

function DoorOnTheHill() {
  return (
    <>
      <path className="art-deep" d="M302 428V356A32 32 0 0 1 366 356V426Z" />
      <path className="art-light" d="M310 428V358A24 24 0 0 1 358 358V426Z" />
      <path className="art-accent" d="M358 426V358C358 342 368 334 388 330V444Z" />
      <path className="art-stroke-light art-thin" d="M366 416V366C366 354 372 348 381 346V428Z" />
      <circle className="art-light" cx="364" cy="394" r="2.5" />
    </>
  );
}

function PathHome() {
  return (
    <>
      <path
        className="art-path"
        d="M176 744C186 670 300 656 384 624 444 600 436 566 372 552 310 538 268 520 284 490 294 472 310 460 312 427L356 426C354 456 334 470 328 486 322 506 372 516 428 530 512 552 532 606 462 642 400 674 354 690 352 744Z"
      />
      <g transform="translate(22 50) scale(0.86)">
        <ellipse className="art-mid" cx="472" cy="593" rx="22" ry="5" />
        <path
          className="art-accent"
          d="M468 536C457 544 453 568 449 591 460 597 479 597 488 591 484 568 480 544 468 536Z"
        />
        <path className="art-stroke-light art-thin" d="M458 562c6 4 14 4 21 0" />
        <circle className="art-hair" cx="468" cy="530" r="9" />
        <circle className="art-hair" cx="468" cy="519" r="4.5" />
      </g>
    </>
  );
}

function Foreground() {
  return (
    <>
      <path className="art-near" d="M40 600C110 566 196 588 226 646 244 684 222 716 206 744H40Z" />
      <path className="art-near" d="M600 580C540 590 508 630 456 656 404 684 372 704 364 744H600Z" />
      <g className="art-stroke-light">
        <path d="M492 632c-11-13 9-20 0-36" />
        <path d="M514 626c-13-15 11-24 0-46" />
        <path d="M536 632c-11-13 9-20 0-36" />
      </g>
      <path className="art-deep" d="M492 700H536L543 716H485Z" />
      <path className="art-accent" d="M450 646H578C578 684 552 706 514 706S450 684 450 646Z" />
      <path className="art-glow" d="M453 663C470 670 558 670 575 663L571 677C556 684 472 684 457 677Z" />
      <ellipse className="art-light" cx="514" cy="646" rx="64" ry="11" />
      <ellipse className="art-sun" cx="514" cy="648" rx="51" ry="7" />
    </>
  );
}

function Leaves() {
  return (
    <g transform="translate(14 176)">
      <path className="art-stroke-deep" d="M96 560C98 510 92 470 116 424M132 560C136 530 146 506 168 486" />
      <g className="art-deep">
        <path d="M116 424c-4-22 6-36 20-46 4 20-2 36-20 46Z" />
        <path d="M104 462c-20-4-32-16-34-32 20 2 32 14 34 32Z" />
        <path d="M100 492c14-18 28-22 44-20-8 18-22 26-44 20Z" />
        <path d="M97 520c-20 0-34-10-40-26 20-2 34 8 40 26Z" />
        <path d="M168 486c0-16 10-26 24-30 0 16-8 28-24 30Z" />
        <path d="M146 516c14-10 26-10 36-4-10 12-22 14-36 4Z" />
      </g>
    </g>
  );
}

/**
 * The emblem: a path from the bowl, over the hills, to an open door, under a month of moons. The build makes an image of
 * it, see scripts/build/draw-illustrations.tsx.
 */
export function MindfulJourney() {
  return (
    <>
      <clipPath id="mindful-journey-frame">
        <path d="M40 330A280 280 0 0 1 600 330V650C600 700 560 726 500 732 380 742 260 742 140 732 80 726 40 700 40 650Z" />
      </clipPath>
      <path className="art-stroke-accent art-thin" d="M22 652V330A298 298 0 0 1 618 330V652" />
      <g clipPath="url(#mindful-journey-frame)">
        <Sky />
        <Hills />
        <DoorOnTheHill />
        <PathHome />
        <Foreground />
        <Leaves />
      </g>
    </>
  );
}
