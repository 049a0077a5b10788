const MOON_PHASES = [
  { transform: 'translate(126 196)', d: 'M0-13A13 13 0 0 1 0 13 8 13 0 0 0 0-13Z' },
  { transform: 'translate(202 116)', d: 'M0-13A13 13 0 0 1 0 13Z' },
  { transform: 'translate(320 84)', d: 'M0-15A15 15 0 0 1 0 15 15 15 0 0 1 0-15Z' },
  { transform: 'translate(438 116)', d: 'M0-13A13 13 0 0 0 0 13Z' },
  { transform: 'translate(514 196)', d: 'M0-13A13 13 0 0 0 0 13 8 13 0 0 1 0-13Z' },
];

function Sky() {
  return (
    <>
      <path className="art-sky" d="M0 0H640V560H0Z" />
      <circle className="art-halo" cx="336" cy="262" r="168" />
      <circle className="art-glow" cx="336" cy="262" r="118" />
      <circle className="art-sun" cx="336" cy="262" r="74" />
      {MOON_PHASES.map((phase) => (
        <path key={phase.transform} className="art-moon" transform={phase.transform} d={phase.d} />
      ))}
    </>
  );
}

function HillsAndDoor() {
  return (
    <>
      <path
        className="art-far"
        d="M0 352C70 296 150 286 232 322 300 350 390 352 470 316 540 286 600 296 640 318V560H0Z"
      />
      <path
        className="art-mid"
        d="M0 432C90 408 190 322 300 312 350 306 378 308 420 322 510 352 570 398 640 396V560H0Z"
      />
      <path className="art-deep" d="M312 314V262A25 25 0 0 1 362 262V312Z" />
      <path className="art-light" d="M319 314V264A18 18 0 0 1 355 264V312Z" />
      <path className="art-accent" d="M355 312V264C355 252 362 245 378 242V326Z" />
      <circle className="art-light" cx="373" cy="288" r="2" />
    </>
  );
}

function PathHome() {
  return (
    <>
      <path
        className="art-path"
        d="M206 560C214 508 330 500 398 470 446 448 420 424 364 412 314 402 276 388 290 362 300 344 318 332 320 313L354 312C352 332 332 346 326 362 318 382 356 388 408 398 486 412 520 448 466 484 420 514 396 520 392 560Z"
      />
      <path className="art-near" d="M0 452C70 424 160 440 214 486 240 508 232 536 220 560H0Z" />
      <path className="art-near" d="M640 440C580 446 520 478 470 500 420 520 396 536 384 560H640Z" />
    </>
  );
}

function Bowl() {
  return (
    <>
      <g className="art-stroke-light">
        <path d="M500 452c-10-12 8-18 0-32" />
        <path d="M520 448c-12-14 10-22 0-42" />
        <path d="M540 452c-10-12 8-18 0-32" />
      </g>
      <path className="art-deep" d="M500 520H540L546 534H494Z" />
      <path className="art-accent" d="M460 466H580C580 502 556 524 520 524S460 502 460 466Z" />
      <ellipse className="art-light" cx="520" cy="466" rx="60" ry="11" />
      <ellipse className="art-sun" cx="520" cy="468" rx="48" ry="7" />
    </>
  );
}

function Leaves() {
  return (
    <>
      <path className="art-stroke-deep" d="M96 560C98 510 92 470 116 424M132 560C136 530 146 506 168 486" />
      <g className="art-deep">
        <path d="M116 424c-4-22 6-36 20-46 4 20-2 36-20 46Z" />
        <path d="M104 462c-20-4-32-16-34-32 20 2 32 14 34 32Z" />
        <path d="M100 492c14-18 28-22 44-20-8 18-22 26-44 20Z" />
        <path d="M97 520c-20 0-34-10-40-26 20-2 34 8 40 26Z" />
        <path d="M168 486c0-16 10-26 24-30 0 16-8 28-24 30Z" />
        <path d="M146 516c14-10 26-10 36-4-10 12-22 14-36 4Z" />
      </g>
    </>
  );
}

/** The emblem: a path from the table, over the hills, to an open door, under a month of moons. */
export function MindfulJourney() {
  return (
    <svg viewBox="0 0 640 560" aria-hidden="true">
      <clipPath id="mindful-journey-frame">
        <path d="M24 560V304A296 296 0 0 1 616 304V560Z" />
      </clipPath>
      <g clipPath="url(#mindful-journey-frame)">
        <Sky />
        <HillsAndDoor />
        <PathHome />
        <Bowl />
        <Leaves />
      </g>
    </svg>
  );
}
