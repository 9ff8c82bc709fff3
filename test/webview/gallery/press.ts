// Everything that can be pressed in a state: by Enter and Space it does what it does by a click, and never nothing.
import type { ChatPage } from '../bench/chat-page.js';
import { type Control, controls, type Effect, effectOf, isNothing, use } from '../bench/controls.js';
import { Scene } from '../bench/scenes.js';
import { show } from './show.js';
import type { State } from './states.js';

/** What is in the head of every state need not be pressed in each. */
const ENOUGH_STATES = 2;

/** The soak presses everything in one state more, and every item of a menu in three ways. */
const isSoak = process.env['BOUGH_SOAK'] === '1';

/** What opens and closes may be found either way: whether it is open is kept while the view lives. */
const turnedBack = (effect: Effect): string => {
  const turned = effect.marks.map((mark) => `${mark.startsWith('+') ? '−' : '+'}${mark.slice(1)}`);
  return tellOf({ ...effect, marks: turned.sort() });
};

/** What two ways must have in common. A click needs no focus before, and where the page is scrolled to hangs on frames. */
const tellOf = ({ posts, marks, isReworded }: Effect): string => JSON.stringify({ posts, marks, isReworded });

type Press = () => Promise<unknown>;

type Pressable = Pick<Control, 'name' | 'isUnavailable'> & { mayRest?: boolean };

export class Presser {
  #shown = 0;
  #isFresh = false;
  /** In how many states a control was pressed so far. */
  readonly #pressed = new Map<string, number>();
  /** Menus whose items were gone through: they are the same wherever they hang. */
  readonly #menus = new Set<string>();

  constructor(private readonly chat: ChatPage) {}

  /** What is wrong with the controls of a state, in words. */
  async through(state: State): Promise<string[]> {
    const { page } = this.chat;
    this.#isFresh = false;
    const wrong: string[] = [];
    await this.#show(state);
    for (const control of await controls(page)) {
      const focus = () => use(page, control, 'focus');
      const ways = this.#waysOf(control);
      try {
        wrong.push(...(await this.#compare(state, control, focus, ways)));
      } catch (error) {
        wrong.push(`${control.name}: ${String(error)}`);
        this.#isFresh = false;
        continue;
      }
      if (control.opensMenu && !control.isUnavailable)
        wrong.push(...(await this.#items(state, control, focus)));
    }
    wrong.push(
      ...(await this.#options(state)),
      ...(await this.#nodes(state)),
      ...(await this.#fields(state)),
    );
    return wrong;
  }

  /** All ways in the first state that has it, Enter in some more; then it is known. */
  #waysOf(control: Control): Record<string, Press> {
    const { page } = this.chat;
    const known = `${control.name} ${control.isUnavailable}`;
    const times = this.#pressed.get(known) ?? 0;
    this.#pressed.set(known, times + 1);
    const Enter = () => page.keyboard.press('Enter');
    if (times >= (isSoak ? ENOUGH_STATES : 1)) return {};
    if (times > 0) return { Enter };
    // Space belongs to buttons: in a page it scrolls.
    if (control.isLink || (!isSoak && control.opensMenu))
      return { 'a click': () => use(page, control, 'click'), Enter };
    return { 'a click': () => use(page, control, 'click'), Enter, Space: () => page.keyboard.press('Space') };
  }

  /** Anew only where the last press left something behind. */
  async #show(state: State): Promise<void> {
    if (this.#isFresh) return;
    this.#shown += 1;
    if ((await this.chat.page.getByRole('menu').count()) > 0) await this.chat.page.keyboard.press('Escape');
    const session = state.snapshot?.session ?? {
      title: state.scene.title,
      folder: undefined,
      read_only: false,
    };
    const id = `${state.name}-${this.#shown}`;
    // Rows of the same ids would stay, with what was pressed in them.
    await this.chat.post(new Scene('between').snapshot());
    await show(this.chat, { ...state, snapshot: { ...state.snapshot, session: { ...session, id } } });
    this.#isFresh = true;
  }

  async #effect(state: State, prepare: Press, press: Press): Promise<Effect> {
    await this.#show(state);
    await prepare();
    const { effect, isDirty } = await effectOf(this.chat, press);
    if (isDirty) this.#isFresh = false;
    return effect;
  }

  async #compare(
    state: State,
    { name, isUnavailable, mayRest = false }: Pressable,
    prepare: Press,
    ways: Readonly<Record<string, Press>>,
  ): Promise<string[]> {
    const wrong: string[] = [];
    const fresh = async (press: Press) => {
      this.#isFresh = false;
      return this.#effect(state, prepare, press);
    };
    const [[, firstPress] = [undefined, undefined]] = Object.entries(ways);
    let first: string | undefined;
    for (const [way, press] of Object.entries(ways)) {
      let effect = await this.#effect(state, prepare, press);
      if (first !== undefined && firstPress !== undefined && tellOf(effect) !== first) {
        // What the first press left behind need not be seen: both once more.
        first = tellOf(await fresh(firstPress));
        effect = await fresh(press);
      }
      const told = tellOf(effect);
      if (isUnavailable !== isNothing(effect) && !(mayRest && isNothing(effect)))
        wrong.push(
          `${name}: ${way} ${isUnavailable ? `does ${told}, though it is unavailable` : 'does nothing'}`,
        );
      else if (first !== undefined && told !== first && turnedBack(effect) !== first)
        wrong.push(`${name}: ${way} does ${told}, not ${first}`);
      first ??= told;
    }
    return wrong;
  }

  async #items(state: State, { name }: Control, focus: Press): Promise<string[]> {
    const { page } = this.chat;
    const items = page.getByRole('menu').locator('[role^=menuitem]');
    const open = async () => {
      await page.keyboard.press('Escape');
      await focus();
      await page.keyboard.press('Enter');
      await items.first().waitFor();
    };
    await this.#show(state);
    await open();
    const labels = await items.allInnerTexts();
    this.#isFresh = false;
    const known = `${name} ${labels.join()}`;
    if (this.#menus.has(known)) return [];
    this.#menus.add(known);
    const wrong: string[] = [];
    for (const [at, label] of labels.entries()) {
      const down = async () => {
        await open();
        await page.keyboard.press('Home');
        for (let step = 0; step < at; step += 1) await page.keyboard.press('ArrowDown');
      };
      const Enter = () => page.keyboard.press('Enter');
      const ways: Record<string, Press> = isSoak
        ? { 'a click': () => items.nth(at).click(), Enter, Space: () => page.keyboard.press('Space') }
        : { Enter };
      wrong.push(
        ...(await this.#compare(state, { name: `${name} › ${label}`, isUnavailable: false }, down, ways)),
      );
    }
    return wrong;
  }

  /** What fits an @ or a /. */
  async #options(state: State): Promise<string[]> {
    const { page, composer } = this.chat;
    await this.#show(state);
    const options = page.locator('[role="listbox"] [role="option"]');
    const labels = await options.allInnerTexts();
    const wrong: string[] = [];
    for (const [at, label] of labels.entries()) {
      const down = async () => {
        await composer.focus();
        for (let step = 0; step < at; step += 1) await page.keyboard.press('ArrowDown');
      };
      const ways = {
        'a click': () => options.nth(at).click(),
        Enter: () => page.keyboard.press('Enter'),
        Tab: () => page.keyboard.press('Tab'),
      };
      this.#isFresh = false;
      wrong.push(
        ...(await this.#compare(state, { name: `option “${label}”`, isUnavailable: false }, down, ways)),
      );
    }
    return wrong;
  }

  async #nodes(state: State): Promise<string[]> {
    const { page } = this.chat;
    await this.#show(state);
    const nodes = page.getByRole('treeitem');
    const labels = await nodes.evaluateAll((all) => all.map((node) => node.getAttribute('aria-label') ?? ''));
    const wrong: string[] = [];
    for (const [at, label] of labels.entries()) {
      if (this.#pressed.has(label)) continue;
      this.#pressed.set(label, 1);
      const down = async () => {
        await page.getByRole('tree').focus();
        await page.keyboard.press('Home');
        for (let step = 0; step < at; step += 1) await page.keyboard.press('ArrowDown');
      };
      const ways = {
        'a click': () => nodes.nth(at).evaluate((node: HTMLElement) => node.click()),
        Enter: () => page.keyboard.press('Enter'),
        Space: () => page.keyboard.press('Space'),
      };
      // One of the line on show is brought into sight, where it may be already.
      const mayRest = (await nodes.nth(at).getAttribute('data-active')) === 'true';
      const node = { name: `node “${label}”`, isUnavailable: false, mayRest };
      wrong.push(...(await this.#compare(state, node, down, ways)));
    }
    return wrong;
  }

  /** What can be written in takes a key. */
  async #fields(state: State): Promise<string[]> {
    const { page } = this.chat;
    await this.#show(state);
    const fields = page.locator('input:visible, textarea:visible');
    const wrong: string[] = [];
    for (let at = 0; at < (await fields.count()); at += 1) {
      await this.#show(state);
      const field = fields.nth(at);
      const name =
        (await field.getAttribute('aria-label')) ?? (await field.getAttribute('data-testid')) ?? '';
      const isUnavailable = (await field.getAttribute('readonly')) !== null;
      if (this.#pressed.has(`field ${name} ${isUnavailable}`)) continue;
      this.#pressed.set(`field ${name} ${isUnavailable}`, 1);
      const press = { 'a letter': () => page.keyboard.press('x') };
      wrong.push(
        ...(await this.#compare(
          state,
          { name: `field “${name}”`, isUnavailable },
          () => field.focus(),
          press,
        )),
      );
      this.#isFresh = false;
    }
    return wrong;
  }
}
