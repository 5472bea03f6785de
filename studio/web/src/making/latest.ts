// latest.ts - one question at a time: while the server answers, further ones wait, and of these only the last is asked.
// So a preview follows a dragged handle as fast as it can be made, and ends with where the handle is let go. No DOM
// here.

export class Latest<Question, Answer> {
  private waiting: { question: Question } | null = null
  private asking = false
  private era = 0

  constructor(
    private readonly ask: (question: Question) => Promise<Answer>,
    /** `last`: nothing newer waits. */
    private readonly answered: (answer: Answer, question: Question, last: boolean) => void,
    private readonly failed: (cause: unknown, question: Question) => void,
  ) {}

  get busy(): boolean {
    return this.asking || this.waiting !== null
  }

  want(question: Question): void {
    this.waiting = { question }
    if (!this.asking) void this.work()
  }

  /** Nothing that was asked so far is wanted any more. */
  forget(): void {
    this.waiting = null
    this.era++
  }

  private async work(): Promise<void> {
    this.asking = true
    while (this.waiting) {
      const { question } = this.waiting
      const { era } = this
      this.waiting = null
      try {
        const answer = await this.ask(question)
        if (era === this.era) this.answered(answer, question, this.waiting === null)
      } catch (cause) {
        // What failed and is not wanted any more needs no words.
        if (era === this.era && !this.waiting) this.failed(cause, question)
      }
    }
    this.asking = false
  }
}
