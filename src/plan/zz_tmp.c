#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#include "plan.h"
#include <stdlib.h>
static bool over(const struct plan_problem *p,size_t i,size_t j){
 const struct plan_buffer*a=&p->buffers[i],*b=&p->buffers[j];
 if(!p->period) return a->lower<b->upper&&b->lower<a->upper;
 uint64_t P=p->period;
 return (b->lower+P-a->lower)%P < a->upper-a->lower || (a->lower+P-b->lower)%P < b->upper-b->lower;
}
static const struct plan_problem *cur;
static int cmp(const void*x,const void*y){uint64_t a=cur->buffers[*(const uint32_t*)x].size,b=cur->buffers[*(const uint32_t*)y].size;return (a<b)-(a>b);}
enum plan_status plan_solve(const struct plan_problem*p,const struct plan_options*o,struct plan*plan){
 (void)o; uint32_t*ord=malloc(4*p->count+4); plan->offsets=malloc(8*p->count+8);plan->peak=plan->bound=0;plan->seconds=0;
 for(size_t i=0;i<p->count;i++)ord[i]=i; cur=p;qsort(ord,p->count,4,cmp);
 for(size_t k=0;k<p->count;k++){uint64_t off=0;size_t i=ord[k];
  for(size_t m=0;m<k;m++){size_t j=ord[m];if(over(p,i,j)&&plan->offsets[j]<off+p->buffers[i].size&&off<plan->offsets[j]+p->buffers[j].size){off=plan->offsets[j]+p->buffers[j].size;m=(size_t)-1;}}
  plan->offsets[i]=off;if(off+p->buffers[i].size>plan->peak)plan->peak=off+p->buffers[i].size;}
 free(ord);return PLAN_DONE;}
void plan_release(struct plan*p){free(p->offsets);}
