/* A library whose constructor is the program's own. */
void in_constructor(void);

__attribute__((constructor)) static void run(void)
{
	in_constructor();
}
