/* A library whose constructor calls a function of the program. */
void in_constructor(void);

__attribute__((constructor)) static void run(void)
{
	in_constructor();
}
